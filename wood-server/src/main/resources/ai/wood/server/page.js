'use strict';
// The page sends an image to /v1/judge and shows the verdict. Its requests do not reach the monitor. Built on chart.js.

const at = id => document.getElementById(id);
const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', 'image/webp'];
const KEPT = 30;
const state = { detectors: [], detector: null, token: '', tried: [], waiting: null };

/** Asks the server; throws what it answers where it refuses. */
async function ask(path, options = {}) {
  const headers = { ...options.headers, ...(state.token ? { Authorization: 'Bearer ' + state.token } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Error('The server cannot be reached.');
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const error = new Error(problem.detail ? `The server says: ${problem.detail}.` : `The server answers ${response.status}.`);
  error.status = response.status;
  throw error;
}

/** Runs what needs the server; where that asks for a token, runs it again when there is one. */
async function attempt(work) {
  at('error').textContent = '';
  try {
    await work();
  } catch (error) {
    if (error.status === 401) {
      state.waiting = work;
      at('token').hidden = false;
      at('token').querySelector('input').focus();
      if (!state.token) return;
    }
    at('error').textContent = error.message;
  }
}

function judge(blob, name) {
  return attempt(async () => {
    if (!TYPES.includes(blob.type)) throw new Error(`This is no image that can be read here (${blob.type || 'of unknown type'}).`);
    at('drop').setAttribute('aria-busy', 'true');
    try {
      const detector = state.detector;
      const response = await ask('/v1/judge?monitor=false&detector=' + encodeURIComponent(detector.name), { method: 'POST', headers: { 'Content-Type': blob.type }, body: blob });
      const one = { name, detector, image: URL.createObjectURL(blob), said: await response.json() };
      state.tried.unshift(one);
      state.tried.splice(KEPT).forEach(old => URL.revokeObjectURL(old.image));
      show(one);
      at('said').scrollIntoView({ block: 'nearest' });
      listTried();
    } finally {
      at('drop').removeAttribute('aria-busy');
    }
  });
}

const image = (one, alt) => h('img', { src: one.image, alt, onload: event => event.target.classList.toggle('smooth', event.target.naturalWidth > 100) });

function words(said) {
  const sure = percent(said.probability, said.probability > 0.9995 || said.probability < 0.1 ? 2 : 1);
  return said.ood ? `It would say “${said.label}” (${sure}), but do not believe it.` : `It says “${said.label}” (${sure}).`;
}

function show(one) {
  const said = one.said;
  at('verdict').replaceChildren(
    h('div', { class: 'said' }, image(one, one.name), h('div', {},
      h('p', {}, h('span', { class: said.ood ? 'badge ood' : 'badge' }, said.ood ? 'Out of distribution' : 'In distribution')),
      h('p', { class: 'verdict' }, words(said)),
      h('p', { class: 'soft' }, said.reason))),
    h('div', { class: said.ood ? 'classes doubted' : 'classes', role: 'list', 'aria-label': 'Most probable classes' }, said.top.flatMap(each => [
      h('span', { title: each.label, role: 'listitem' }, each.label, h('span', { class: 'unseen' }, ' ' + percent(each.probability))),
      h('div', { class: 'bar ind', 'aria-hidden': 'true' }, h('i', { style: { width: percent(each.probability) } })),
      h('b', { 'aria-hidden': 'true' }, percent(each.probability))])));
  draw(one);
}

function draw(one) {
  const { size, low, high, counts } = state.detector.calibration;
  const marks = [];
  let text = `Blue: the scores of ${size} samples that the detector was calibrated on, on a square-root scale. A larger score means more OOD.`;
  if (one && one.detector === state.detector) {
    const { score, threshold } = one.said;
    const place = score == null ? 'beyond every number' : score > high ? 'right of the chart' : score < low ? 'left of the chart' : null;
    marks.push({ x: threshold, label: threshold == null ? 'no threshold' : 'threshold ' + number(threshold) }, { x: score, kind: 'own', label: 'this image ' + (score == null ? '' : number(score)) });
    text += ` ${place ? `This image’s score lies ${place}.` : ''}`;
  }
  at('where-text').textContent = text;
  const label = `Histogram of ${size} calibration scores` + (marks.length ? `; ${marks.map(mark => mark.label).join('; ')}` : '');
  at('histogram').replaceChildren(histogram(label, { low, high, ind: counts, ood: [] }, { ind: size, ood: 1 }, marks));
}

function listTried() {
  const ood = state.tried.filter(one => one.said.ood).length;
  at('history').replaceChildren(...state.tried.map(one => h('li', {}, h('button', { type: 'button', class: one.said.ood ? 'ood' : null, onclick: () => { choose(one.detector); show(one); at('said').scrollIntoView({ block: 'nearest' }); } },
    image(one, ''), h('span', {}, one.said.ood ? 'OOD' : one.said.label), h('span', {}, 'score ' + number(one.said.score))))));
  at('before').textContent = `This visit: ${state.tried.length} judged, ${ood} OOD`;
}

async function live() {
  const watch = (await (await ask('/v1/drift')).json()).detectors.find(each => each.detector === state.detector.name);
  const { judged, oodRate } = watch.lastHour, drift = watch.drift;
  at('live').replaceChildren(judged === 0 ? 'No requests in the last hour, apart from this page. ' : `Last hour: ${judged} judged, ${percent(oodRate)} OOD. `,
    drift.alarm ? h('span', { class: 'alarm' }, `Drift alarm since ${new Date(drift.firedAt).toLocaleString()}: images no longer look like those it was calibrated on.`)
      : `No drift: evidence ${number(drift.evidence)}, alarm at ${number(drift.alarmAt)}.`);
}

function choose(detector) {
  state.detector = detector;
  document.querySelector('#choice select')?.replaceWith(selector());
  at('classes').textContent = `It knows ${detector.classes.length} classes: ${detector.classes.slice(0, 12).join(', ')}${detector.classes.length > 12 ? ' …' : '.'}`;
  draw(null);
}

function selector() {
  return h('select', { onchange: event => { choose(state.detectors[event.target.value]); live().catch(() => {}); } },
    state.detectors.map((each, i) => h('option', { value: i, selected: each === state.detector }, each.name)));
}

async function samples(list) {
  at('samples').replaceChildren(...await Promise.all(list.map(async each => {
    const blob = await (await ask(each.path)).blob();
    return h('li', {}, h('button', { type: 'button', onclick: () => judge(blob, each.name) },
      h('img', { src: URL.createObjectURL(blob), alt: '' }), each.name));
  })));
}

async function begin() {
  const all = await (await ask('/v1/detectors')).json();
  state.detectors = all.detectors.filter(each => each.shape);
  if (state.detectors.length === 0) throw new Error('The detectors of this server take outputs of classifiers only, at /v1/detect.');
  at('token').hidden = true;
  if (state.detectors.length > 1) at('choice').replaceChildren(h('label', {}, 'Detector ', h('select')));
  choose(state.detectors[0]);
  await samples(all.samples);
  await live();
}

at('token').addEventListener('submit', event => {
  event.preventDefault();
  state.token = at('token').querySelector('input').value;
  const again = state.waiting || begin;
  attempt(again).then(() => { if (!at('error').textContent) at('token').hidden = true; });
});
at('drop').querySelector('input').addEventListener('change', event => {
  const [file] = event.target.files;
  if (file) judge(file, file.name);
  event.target.value = '';
});
document.addEventListener('paste', event => {
  const [file] = event.clipboardData?.files || [];
  if (file) judge(file, file.name || 'pasted image');
});
for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, event => {
    if (event.target.matches?.('input[type=password]')) return;
    event.preventDefault();
    at('drop').classList.toggle('over', kind === 'dragover');
    const file = kind === 'drop' && event.dataTransfer.files[0];
    if (file) judge(file, file.name);
  });
}
setInterval(() => { if (!document.hidden && state.detector) live().catch(() => {}); }, 5000);
attempt(begin);
