'use strict';
// Building blocks: elements, numbers, line charts and histograms. Names are data: they enter the page as text nodes only.

const SVG = 'http://www.w3.org/2000/svg';
const COLOURS = 7;
const DASHES = ['', '7 3', '2 3', '9 3 2 3'];

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(element.style, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child != null));
  return element;
}

const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Halves are rounded up, as in the verdict above: toFixed alone takes 5.55 for a little less than it is. */
const percent = (share, digits = 1) => share == null ? '–' : (Math.round(100 * share * 10 ** digits + 1e-9) / 10 ** digits).toFixed(digits) + '%';
const figure = value => value == null ? '–' : value.toFixed(4);
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** Four significant digits, without an exponent where that is readable. */
function number(value) {
  if (value == null) return '∞';
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

const colour = index => `var(--c${index % COLOURS})`;
const dash = index => DASHES[Math.floor(index / COLOURS) % DASHES.length];

/** Round steps between low and high, about as many as wanted. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough * 0.7);
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) all.push(Number((i * step).toPrecision(12)));
  return all;
}

/** Keeps a drawing as wide as its place: calls draw(width) now and whenever that changes. */
function fitted(host, draw) {
  let width = 0;
  new ResizeObserver(entries => {
    const now = Math.floor(entries[0].contentRect.width);
    if (now > 0 && now !== width) requestAnimationFrame(() => draw(width = now));
  }).observe(host);
}

/** Axes of a plot: what both kinds of picture share. */
class Frame {
  constructor(width, height, x, y) {
    Object.assign(this, { width, height, x, y, left: 46, right: width - 20, top: 14, bottom: height - 40 });
  }

  px(value) { return this.left + (this.right - this.left) * (value - this.x.low) / (this.x.high - this.x.low); }
  py(value) { return this.bottom - (this.bottom - this.top) * (value - this.y.low) / (this.y.high - this.y.low); }
  xAt(px) { return this.x.low + (this.x.high - this.x.low) * clamp((px - this.left) / (this.right - this.left), 0, 1); }
  yAt(py) { return this.y.low + (this.y.high - this.y.low) * clamp((this.bottom - py) / (this.bottom - this.top), 0, 1); }

  axes() {
    const all = [];
    for (const value of ticks(this.y.low, this.y.high, 5)) {
      all.push(s('line', { class: 'grid-line', x1: this.left, x2: this.right, y1: this.py(value), y2: this.py(value) }),
        s('text', { class: 'tick', x: this.left - 6, y: this.py(value) + 4, 'text-anchor': 'end' }, this.y.format(value)));
    }
    for (const value of ticks(this.x.low, this.x.high, Math.max(3, Math.min(9, this.width / 90)))) {
      all.push(s('text', { class: 'tick', x: this.px(value), y: this.bottom + 16, 'text-anchor': 'middle' }, this.x.format(value)));
    }
    all.push(s('line', { class: 'grid-line', x1: this.left, x2: this.right, y1: this.bottom, y2: this.bottom }),
      s('text', { x: (this.left + this.right) / 2, y: this.height - 6, 'text-anchor': 'middle' }, this.x.title));
    return all;
  }

  mark(value, label, row = 0, kind = '') {
    const x = this.px(clamp(value, this.x.low, this.x.high));
    const leftwards = x > (this.left + this.right) / 2;
    return [s('line', { class: 'mark ' + kind, x1: x, x2: x, y1: this.top - 4, y2: this.bottom }),
      s('text', { x: leftwards ? x - 5 : x + 5, y: this.top + 6 + 15 * row, 'text-anchor': leftwards ? 'end' : 'start' }, label)];
  }
}

/** A line's value at x: the last point not beyond it for steps, else between its neighbours. Points ascend in x. */
function valueAt(line, x) {
  const points = line.points;
  let low = -1;
  for (let high = points.length; high - low > 1;) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= x) low = middle; else high = middle;
  }
  if (low < 0) return points.length ? points[0][1] : null;
  const [x0, y0] = points[low];
  if (line.step || low + 1 === points.length || x0 === x) return y0;
  const [x1, y1] = points[low + 1];
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

function path(line, frame) {
  return line.points.map(([x, y], i) => {
    const px = frame.px(x).toFixed(1), py = frame.py(y).toFixed(1);
    return i === 0 ? `M${px} ${py}` : line.step ? `H${px}V${py}` : `L${px} ${py}`;
  }).join('');
}

/** A piece of a line, for legends. */
function swatch(line) {
  return s('svg', { class: 'swatch', viewBox: '0 0 26 10', 'aria-hidden': 'true' },
    s('line', { x1: 0, x2: 26, y1: 5, y2: 5, 'stroke-width': 3, stroke: colour(line.index), 'stroke-dasharray': dash(line.index) }));
}

/**
 * Lines in a frame with a legend that reads their values at a cursor. The pointer or the arrow keys move the cursor;
 * dragging with a mouse, + and - zoom; 0 or a double click shows the whole.
 *
 * options: label, x and y {title, low, high, format}, lines [{name, index, points, step, strong, note, hidden}], marks [{x, label}],
 * cursor {x, head(x), move(x)}, height, zoom, toggles
 */
function chart(options) {
  const { lines, x, y } = options;
  const whole = { x: { ...x }, y: { ...y } };
  let view = whole;
  let at = options.cursor.x;
  let frame;
  let drag = null;
  const id = 'clip' + chart.count++;
  const svg = s('svg', { role: 'img', 'aria-label': options.label + '. Arrow keys read values, + and - zoom, 0 shows the whole.', tabindex: 0 });
  const head = h('th', { scope: 'col', 'aria-live': 'polite' });
  const rows = lines.map(line => {
    const value = h('td');
    const toggle = h('input', { type: 'checkbox', checked: !line.hidden, onchange: () => { line.hidden = !toggle.checked; draw(); } });
    const name = [swatch(line), ' ' + line.name];
    return { line, value, toggle, row: h('tr', { onpointerenter: () => strengthen(line, true), onpointerleave: () => strengthen(line, false) },
      h('th', { scope: 'row' }, options.toggles ? h('label', {}, toggle, name) : name), options.notes ? h('td', {}, line.note) : null, value) };
  });
  const legend = h('table', { class: 'legend' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, options.lineTitle || ''), options.notes ? h('th', { scope: 'col' }, options.notes) : null, head)),
    h('tbody', {}, rows.map(row => row.row)));
  const place = h('div', {}, svg);
  const cursor = s('line', { class: 'cursor' });
  const brush = s('rect', { class: 'brush' });
  const curves = new Map();

  function strengthen(line, on) {
    curves.get(line)?.classList.toggle('strong', on || line.strong);
  }

  function draw(width = frame?.width) {
    if (!width) return;
    frame = new Frame(width, options.height || clamp(width * 0.62, 240, 420), view.x, view.y);
    curves.clear();
    for (const line of lines.filter(line => !line.hidden)) {
      curves.set(line, s('path', { class: line.strong ? 'curve strong' : 'curve', d: path(line, frame), stroke: colour(line.index),
        'stroke-dasharray': dash(line.index) }, s('title', {}, line.name)));
    }
    svg.setAttribute('viewBox', `0 0 ${width} ${frame.height}`);
    svg.replaceChildren(
      s('clipPath', { id }, s('rect', { x: frame.left, y: frame.top - 6, width: frame.right - frame.left, height: frame.bottom - frame.top + 8 })),
      ...frame.axes(), s('g', { 'clip-path': `url(#${id})` }, ...curves.values(), cursor, brush),
      ...(options.marks || []).flatMap(mark => frame.mark(mark.x, mark.label)));
    read();
  }

  function read() {
    const px = frame.px(at);
    fill(cursor, { x1: px, x2: px, y1: frame.top, y2: frame.bottom }, []);
    head.textContent = options.cursor.head(at);
    for (const { line, value } of rows) {
      const here = valueAt(line, at);
      value.textContent = here == null ? '–' : line.hidden ? '' : (y.exact || y.format)(here);
    }
  }

  function move(value) {
    at = clamp(value, whole.x.low, whole.x.high);
    options.cursor.move?.(at);
    if (frame) read();
  }

  function zoom(x0, x1, y0, y1) {
    const low = Math.max(whole.x.low, x0), high = Math.min(whole.x.high, x1);
    const bottom = Math.max(whole.y.low, y0), top = Math.min(whole.y.high, y1);
    if (high - low < 1e-6 * (whole.x.high - whole.x.low) || top - bottom < 1e-6 * (whole.y.high - whole.y.low)) return;
    view = { x: { ...x, low, high }, y: { ...y, low: bottom, high: top } };
    draw();
  }

  /** Towards the cursor and the values there. */
  function scale(factor) {
    const shown = lines.filter(line => !line.hidden).map(line => valueAt(line, at)).filter(value => value != null);
    const centre = shown.length ? Math.max(...shown) : (view.y.low + view.y.high) / 2;
    const near = (low, high, value) => [value - (value - low) * factor, value + (high - value) * factor];
    zoom(...near(view.x.low, view.x.high, at), ...near(view.y.low, view.y.high, centre));
  }

  function reset() {
    view = whole;
    draw();
  }

  const offset = event => {
    const box = svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  svg.addEventListener('pointerdown', event => {
    if (options.zoom && event.pointerType === 'mouse') {
      drag = offset(event);
      svg.setPointerCapture(event.pointerId);
    } else move(frame.xAt(offset(event)[0]));
  });
  svg.addEventListener('pointermove', event => {
    const [px, py] = offset(event);
    if (drag) {
      fill(brush, { x: Math.min(px, drag[0]), y: Math.min(py, drag[1]), width: Math.abs(px - drag[0]), height: Math.abs(py - drag[1]) }, []);
    } else if (!options.slider) move(frame.xAt(px));
  });
  svg.addEventListener('pointerup', event => {
    if (!drag) return;
    const [[px, py], [qx, qy]] = [drag, offset(event)];
    drag = null;
    fill(brush, { width: 0, height: 0 }, []);
    if (Math.abs(px - qx) > 8 && Math.abs(py - qy) > 8) {
      const xs = [frame.xAt(px), frame.xAt(qx)], ys = [frame.yAt(py), frame.yAt(qy)];
      zoom(Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys));
    }
  });
  svg.addEventListener('dblclick', reset);
  const keys = { ArrowLeft: () => move(at - span() / 100), ArrowRight: () => move(at + span() / 100), Home: () => move(view.x.low),
    End: () => move(view.x.high), '+': () => scale(0.6), '-': () => scale(1 / 0.6), 0: reset };
  const span = () => options.stride ? 100 * options.stride : view.x.high - view.x.low;
  svg.addEventListener('keydown', event => {
    if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      keys[event.key]();
      event.preventDefault();
    }
  });
  fitted(place, draw);
  const show = wanted => rows.forEach(({ line, toggle }) => { toggle.checked = wanted(line); line.hidden = !toggle.checked; });
  return { place, legend, move, zoom, reset, scale, show: wanted => { show(wanted); draw(); } };
}
chart.count = 0;

/** InD against OOD: shares per bin on a square-root scale, so that small bins can be seen. */
function histogram(label, bins, sizes, marks) {
  const svg = s('svg', { role: 'img', 'aria-label': label });
  const shares = kind => bins[kind].map(count => count / sizes[kind]);
  const ind = shares('ind'), ood = shares('ood');
  const most = Math.sqrt(Math.max(...ind, ...ood));
  const step = (bins.high - bins.low) / ind.length;
  const place = h('div', {}, svg);
  fitted(place, width => {
    const frame = new Frame(width, clamp(width * 0.42, 190, 280), { low: bins.low, high: bins.high, format: number, title: 'score: larger = more OOD' },
      { low: 0, high: most, format: root => percent(root * root, root * root < 0.1 ? 1 : 0) });
    const bar = (share, i, kind) => share === 0 ? null : s('rect', { class: kind, x: frame.px(bins.low + i * step), width: Math.max(1, frame.px(bins.low + step) - frame.left - 1),
      y: Math.min(frame.py(Math.sqrt(share)), frame.bottom - 1), height: Math.max(1, frame.bottom - frame.py(Math.sqrt(share))) },
      s('title', {}, `${kind === 'ind' ? 'InD' : 'OOD'}: ${percent(share, 2)} from ${number(bins.low + i * step)}` +
        ` to ${number(bins.low + (i + 1) * step)}`));
    svg.setAttribute('viewBox', `0 0 ${width} ${frame.height}`);
    svg.replaceChildren(...frame.axes(), ...ind.map((share, i) => bar(share, i, 'ind')).filter(Boolean),
      ...ood.map((share, i) => bar(share, i, 'ood')).filter(Boolean), ...marks.flatMap((mark, i) => frame.mark(mark.x ?? bins.high, mark.label, i, mark.kind)));
  });
  return place;
}
