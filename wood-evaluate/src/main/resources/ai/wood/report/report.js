// The page: each section draws itself from the data and the choices made in the bar at the top.

const data = JSON.parse(document.getElementById('data').textContent);
const choice = { network: 0, scorer: data.networks[0].scorer, set: 0 };
const sections = [];

const network = () => data.networks[choice.network];
const scorerOf = net => net.scorers.find(scorer => scorer.name === choice.scorer);

/** What draws figures of the chosen scorer says so above them, or that the network has none of it. */
const ofScorer = draw => () => {
  const own = scorerOf(network());
  const name = h('p', {}, `Network ${network().name}, scorer ${choice.scorer}${own ? '' : ': could not run, see below'}.`);
  return own ? [name, draw(own)].flat() : [name];
};
const marks = set => [set.mark, set.distance].filter(Boolean).join(', ');
const title = set => `${set.name} (${marks(set)})`;
const mean = values => values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
const metric = key => data.metrics.findIndex(each => each.key === key);
const AUROC = metric('auroc'), FNR95 = metric('fnr95');

function select(label, options, value, change) {
  return h('label', {}, label, h('select', { onchange: event => change(event.target.value) },
    options.map(([key, text]) => h('option', { value: key, selected: key === value }, text))));
}

/** A section that is drawn again when one of the named choices changes. */
function section(id, heading, explanation, on, draw) {
  const body = h('div');
  const render = () => body.replaceChildren(...[draw()].flat().filter(Boolean));
  sections.push({ on, render });
  document.getElementById('main').append(h('section', { id, 'aria-labelledby': id + '-title' },
    h('h2', { id: id + '-title' }, heading), h('p', { class: 'soft' }, explanation), body));
  render();
}

function choose(key, value) {
  choice[key] = value;
  sections.filter(each => each.on.includes(key)).forEach(each => each.render());
}

function choices() {
  const names = [...new Set(data.networks.flatMap(net => net.scorers.map(each => each.name)))];
  document.getElementById('choices').append(...[
    data.networks.length > 1 ? select('Network', data.networks.map((net, i) => [String(i), net.name]), '0', value => choose('network', Number(value))) : null,
    select('Scorer', names.map(name => [name, name]), choice.scorer, value => choose('scorer', value)),
    select('OOD set', data.sets.map((set, i) => [String(i), title(set)]), '0', value => choose('set', Number(value)))].filter(Boolean));
}

function cards() {
  const among = (net, seen, value) => mean(net.scorers.find(each => each.name === net.scorer).sets.filter((_, i) => net.seen[i] === seen).map(value));
  const card = (term, value, note) => h('div', {}, h('dt', {}, term), h('dd', {}, value, h('small', {}, note)));
  document.getElementById('cards').append(...data.networks.map(net => {
    const own = net.scorers.find(each => each.name === net.scorer);
    const caught = seen => among(net, seen, set => set.detectionRate);
    const all = [card('InD accuracy', percent(net.accuracy), own.acceptedAccuracy == null ? '' : percent(own.acceptedAccuracy) + ' of the accepted'),
      card('False alarms', percent(own.falseAlarmRate), `at most ${own.promised} promised`)];
    for (const seen of [true, false]) {
      if (caught(seen) != null) {
        all.push(card(seen ? 'Seen OOD caught' : 'Unseen OOD caught', percent(caught(seen)), `AUROC ${among(net, seen, set => set.values[AUROC]).toFixed(3)}`));
      }
    }
    return h('section', { 'aria-label': `Key figures of network ${net.name}` }, h('h3', {}, `Network ${net.name}, scorer ${net.scorer}`), h('dl', { class: 'cards' }, all));
  }));
}

function scores() {
  return h('div', { class: 'grid' }, data.networks.filter(scorerOf).map(net => {
    const own = scorerOf(net);
    const set = own.sets[choice.set], ood = data.sets[choice.set];
    return h('div', {}, h('h3', {}, `Network ${net.name}`),
      histogram(`Scores of ${data.ind} against ${ood.name}, network ${net.name}, scorer ${own.name}`, set.bins, { ind: data.indSize, ood: ood.size },
        [{ x: own.threshold, label: own.threshold == null ? 'no threshold' : 'threshold ' + number(own.threshold) }]),
      h('p', { class: 'soft' }, h('span', { class: 'key ind' }), ` ${data.ind}, ${percent(own.falseAlarmRate)} alarmed  `,
        h('span', { class: 'key ood' }), ` ${ood.name}, ${percent(set.detectionRate)} caught`));
  }));
}

const share = { low: 0, high: 1, format: value => percent(value, 0), exact: percent };

function roc() {
  const ood = data.sets[choice.set];
  const colours = ranking(network());
  const order = network().scorers.map(each => ({ each, index: colours.indexOf(each) })).sort((a, b) => b.each.sets[choice.set].values[AUROC] - a.each.sets[choice.set].values[AUROC]);
  const lines = order.map(({ each, index }, rank) => ({ name: each.name, index, strong: each.name === choice.scorer,
    hidden: rank > 6 && each.name !== choice.scorer, note: figure(each.sets[choice.set].values[AUROC]), points: curve(each, choice.set) }));
  const plot = chart({ label: `ROC curves of network ${network().name}: share of ${ood.name} caught against share of ${data.ind} alarmed`,
    x: { ...share, title: 'InD alarmed' }, y: share, lines, toggles: true, zoom: true, notes: 'AUROC', lineTitle: 'Scorer',
    cursor: { x: 0.05, head: at => `caught at ${percent(at)} alarms` } });
  const button = (text, action) => h('button', { type: 'button', onclick: action }, text);
  return h('div', { class: 'grid' }, h('div', {}, plot.place, h('div', { class: 'tools' }, button('Whole', plot.reset),
    button('Few alarms', () => plot.zoom(0, 0.1, 0, 1)), button('Corner', () => plot.zoom(0, 0.2, 0.8, 1)), button('+', () => plot.scale(0.6)), button('−', () => plot.scale(1 / 0.6)),
    button('All lines', () => plot.show(() => true)), button('No lines', () => plot.show(line => line.strong)))), h('div', { class: 'scroll' }, plot.legend));
}

/** The order of colours: the chosen scorer, then the best over all sets, so that a scorer keeps its colour from set to set. */
function ranking(net) {
  const quality = each => each.name === choice.scorer ? 2 : mean(each.sets.map(set => set.values[AUROC]));
  return [...net.scorers].sort((a, b) => quality(b) - quality(a));
}

/** From the strictest threshold to the laxest: InD alarmed, OOD caught. */
function curve(each, set) {
  const { ind, ood } = each.alarms;
  const points = ind.map((count, i) => [count / data.indSize, ood[set][i] / data.sets[set].size]).reverse();
  return [[0, 0], ...points, [1, 1]].filter(([x, y], i, all) => i === 0 || x !== all[i - 1][0] || y !== all[i - 1][1]);
}

function calibration(own) {
  const { alarms } = own;
  const last = alarms.thresholds.length - 1;
  const step = (name, index, counts, size, strong) => ({ name, index, strong, step: true, points: alarms.thresholds.map((x, i) => [x, counts[i] / size]) });
  const lines = [step(`${data.ind}, validation`, 7, alarms.validation, data.validationSize), step(`${data.ind}, test`, 0, alarms.ind, data.indSize, true),
    ...data.sets.map((set, i) => step(title(set), i + 1 + (i > 5 ? 1 : 0), alarms.ood[i], set.size))];
  let position = alarms.calibrated ?? last;
  const plot = chart({ label: `Share alarmed against threshold, network ${network().name}, scorer ${own.name}`, lines, slider: true,
    x: { low: own.range[0], high: own.range[1], format: number, title: 'threshold' }, y: share,
    marks: own.threshold == null ? [] : [{ x: own.threshold, label: 'calibrated' }],
    cursor: { x: alarms.thresholds[position], head: () => '', move: at => put(nearest(at)) } });
  const nearest = at => { let best = 0; alarms.thresholds.forEach((x, i) => { if (Math.abs(x - at) < Math.abs(alarms.thresholds[best] - at)) best = i; }); return best; };
  const readout = h('div', { class: 'shares' });
  const text = h('p', { 'aria-live': 'polite' });
  const slider = h('input', { type: 'range', min: 0, max: last, value: position, 'aria-label': 'Threshold', oninput: () => { put(Number(slider.value)); plot.move(alarms.thresholds[position]); } });
  const row = (line, value, name, kind) => [swatch(line), h('span', {}, name), h('div', { class: 'bar ' + kind }, h('i', { style: { width: percent(value) } })), h('b', {}, percent(value))];

  function put(index) {
    position = index;
    slider.value = index;
    const at = line => line.points[index][1];
    const value = number(alarms.thresholds[index]);
    const [validation, test, ...ood] = lines;
    slider.setAttribute('aria-valuetext', `threshold ${value}, ${percent(1 - at(test))} TNR`);
    text.textContent = `Threshold ${value}${index === alarms.calibrated ? ', the calibrated one' : ''}: TNR ${percent(1 - at(test))} on test, ${percent(1 - at(validation))} on validation.`;
    readout.replaceChildren(...row(validation, at(validation), 'InD alarms, validation', 'ind'), ...row(test, at(test), 'InD alarms, test', 'ind'),
      ...ood.flatMap(line => row(line, 1 - at(line), 'FNR ' + line.name, 'ood')));
  }
  put(position);
  return h('div', { class: 'grid' }, h('div', {}, plot.place, slider, h('div', { class: 'tools' },
    h('button', { type: 'button', disabled: alarms.calibrated == null, onclick: () => { put(alarms.calibrated); plot.move(alarms.thresholds[position]); } }, 'Calibrated threshold'))), h('div', {}, text, readout));
}

const table = { view: 'metric:' + FNR95, sort: 0, descending: false };

/** Best first: by the mean over unseen sets where there is one, else by the first column. */
function arrange(view) {
  Object.assign(table, { view });
  const shown = columns();
  table.sort = Math.max(0, shown.findIndex(column => column.title.startsWith('mean unseen')));
  table.descending = shown[table.sort].higher === true;
}

/** A column: title, note below it, value of a row, its text, and whether larger or smaller values are better. */
function columns() {
  const [kind, key] = table.view.split(':');
  const all = [];
  const add = (title, note, value, higher, text = figure, interval = () => null) => all.push({ title, note, value, higher, text, interval });
  const interval = (set, m) => set.low ? `${set.low[m].toFixed(3)} to ${set.high[m].toFixed(3)}` : null;
  if (kind === 'set') {
    data.metrics.forEach((each, m) => add(each.title, '', row => row.own.sets[key].values[m], each.higher, figure, row => interval(row.own.sets[key], m)));
    add('caught', 'at the threshold', row => row.own.sets[key].detectionRate, true);
    add('p', 'against the best AUROC', row => row.own.sets[key].pValue, null);
  } else {
    const caught = kind === 'caught', m = Number(key);
    const value = set => caught ? set.detectionRate : set.values[m];
    const higher = caught || data.metrics[m].higher;
    data.sets.forEach((set, i) => add(set.name, marks(set), row => value(row.own.sets[i]), higher, figure, row => caught ? null : interval(row.own.sets[i], m)));
    const parted = data.sets.some(set => set.mark.startsWith('seen by')); // what some networks saw and others did not
    for (const [name, among] of [[parted ? 'seen by some' : 'seen', set => set.mark !== 'unseen'], [parted ? 'unseen by all' : 'unseen', set => set.mark === 'unseen'], ['near', set => set.distance === 'near'], ['far', set => set.distance === 'far']]) {
      const count = data.sets.filter(among).length;
      if (count > 0 && count < data.sets.length) add('mean ' + name, `${count} set${count > 1 ? 's' : ''}`, row => mean(row.own.sets.filter((_, i) => among(data.sets[i])).map(value)), higher);
    }
  }
  add('InD alarms', 'at the threshold', row => row.own.falseAlarmRate, null);
  add('accuracy', 'of the accepted', row => row.own.acceptedAccuracy, true);
  if (data.networks.some(net => net.scorers.some(each => each.seconds != null))) add('seconds', 'to fit and score', row => row.own.seconds, false, value => value == null ? '–' : value.toFixed(2));
  if (data.networks.some(net => net.scorers.some(each => each.megabytes != null))) add('MB', 'at most', row => row.own.megabytes, null, value => value == null ? '–' : value.toFixed(0));
  return all;
}

function results() {
  const host = h('div', { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'Figures of all scorers' });
  const views = [...data.metrics.map((each, m) => ['metric:' + m, each.title + ' on every set']), ['caught:', 'caught on every set'],
    ...data.sets.map((set, i) => ['set:' + i, 'every figure on ' + set.name])];
  const draw = () => host.replaceChildren(resultTable(draw));
  arrange(table.view);
  draw();
  return [select('Show', views, table.view, view => { arrange(view); draw(); }), host];
}

/** A name that breaks behind a colon or a slash rather than within a word. */
const breakable = name => name.split(/([:/,+])/).flatMap(part => /^[:/,+]$/.test(part) ? [part, h('wbr')] : [part]);

function resultTable(redraw) {
  const shown = columns();
  const many = data.networks.length > 1;
  const rows = data.networks.flatMap(net => net.scorers.map(own => ({ net, own })));
  const key = table.sort < 0 ? row => row.own.name : shown[table.sort].value;
  const sign = table.descending ? -1 : 1;
  rows.sort((a, b) => { const [x, y] = [key(a), key(b)]; return x == null ? (y == null ? 0 : 1) : y == null ? -1 : x < y ? -sign : x > y ? sign : 0; });
  const best = shown.map(column => column.higher == null ? null : rows.map(column.value).filter(value => value != null)
    .reduce((a, b) => a == null ? b : column.higher ? Math.max(a, b) : Math.min(a, b), null));
  const head = (index, text, note, higher) => h('th', { scope: 'col', 'aria-sort': table.sort === index ? (table.descending ? 'descending' : 'ascending') : null },
    h('button', { type: 'button', onclick: () => {
      table.descending = table.sort === index ? !table.descending : higher === true;
      table.sort = index;
      redraw();
      host().querySelectorAll('th button')[index + 1].focus();
    } }, breakable(text)), note ? h('small', {}, note) : null);
  const host = () => document.querySelector('#results table');
  return h('table', { class: 'results' },
    h('caption', { class: 'soft' }, 'Best figures in bold. Below a figure its 95% bootstrap interval.'),
    h('thead', {}, h('tr', {}, head(-1, 'Scorer', many ? 'network' : '', false), shown.map((column, i) => head(i, column.title, column.note, column.higher)))),
    h('tbody', {}, rows.map(row => h('tr', {}, h('th', { scope: 'row', title: row.own.description }, row.own.name, many ? h('small', {}, row.net.name) : null,
      row.own.tunedOn ? h('small', {}, 'tuned on ' + row.own.tunedOn) : null),
      shown.map((column, i) => h('td', { class: best[i] != null && column.value(row) === best[i] ? 'best' : null }, column.text(column.value(row)),
        column.interval(row) ? h('small', {}, column.interval(row)) : null))))));
}

function examples() {
  const net = network();
  const card = (sample, isInd) => {
    const wrong = sample.alarm === isInd;
    return h('figure', { class: wrong ? 'wrong' : '' },
      h('img', { src: data.images[sample.image], alt: `Sample ${sample.index}${sample.label == null ? '' : ', ' + sample.label}`, loading: 'lazy' }),
      h('figcaption', {}, sample.label == null ? '' : h('div', {}, sample.label), h('div', { class: 'score' }, 'score ' + number(sample.score)),
        h('strong', {}, isInd ? (sample.alarm ? 'false alarm' : 'accepted') : sample.alarm ? 'caught' : 'missed')),
      h('div', { class: 'top' }, sample.top.flatMap(([name, probability]) => [h('span', { title: name }, name),
        h('div', { class: 'bar ind' }, h('i', { style: { width: percent(probability) } })), h('b', {}, percent(probability, 0))])));
  };
  const group = (isInd, heading, samples) => [h('h3', {}, heading), h('div', { class: 'examples' }, samples.map(sample => card(sample, isInd)))];
  const ood = data.sets[choice.set], ind = net.examples.ind, of = net.examples.ood[choice.set];
  return [h('p', {}, `Network ${net.name}, scorer ${net.scorer}.`), ...group(true, `${data.ind}: highest scores, the first to raise false alarms`, ind.highest), ...group(false, `${title(ood)}: lowest scores, the first to be missed`, of.lowest),
    ...group(true, `${data.ind}: lowest scores`, ind.lowest), ...group(false, `${title(ood)}: highest scores`, of.highest)];
}

const LARGEST_MATRIX = 25;

function confusion(own) {
  const cells = own.confusion, K = data.classes.length;
  const wrong = cells.filter(([truth, said]) => truth !== said).sort((a, b) => b[2] - a[2]);
  const total = cells.reduce((sum, cell) => sum + cell[2], 0), mistakes = wrong.reduce((sum, cell) => sum + cell[2], 0);
  const summary = h('p', {}, total === 0 ? 'No InD test sample is accepted.' : `${total} of ${data.indSize} InD test samples are accepted, ${mistakes} of them misclassified.`);
  if (K > LARGEST_MATRIX) {
    return [summary, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, ['is', 'taken for', 'samples'].map(text => h('th', { scope: 'col' }, text)))),
      h('tbody', {}, wrong.slice(0, 20).map(([truth, said, count]) => h('tr', {}, h('th', { scope: 'row' }, data.classes[truth]), h('td', {}, data.classes[said]), h('td', {}, count))))))];
  }
  const counts = Array.from({ length: K }, () => new Array(K).fill(0));
  cells.forEach(([truth, said, count]) => { counts[truth][said] = count; });
  const shade = (count, row) => count === 0 ? null : { background: `color-mix(in srgb, var(--c0) ${Math.round(8 + 62 * Math.sqrt(count / Math.max(1, ...row)))}%, transparent)` };
  return [summary, h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Confusion matrix' }, h('table', { class: 'confusion' },
    h('caption', { class: 'soft' }, 'rows: true class; columns: predicted class'),
    h('thead', {}, h('tr', {}, h('td'), data.classes.map(name => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, counts.map((row, truth) => h('tr', {}, h('th', { scope: 'row' }, data.classes[truth]),
      row.map((count, said) => h('td', { class: truth === said ? 'hit' : null, style: shade(count, row) || {} }, count || '·')))))))];
}

function training() {
  return h('div', { class: 'grid' }, data.networks.filter(net => net.training).flatMap(net => [
    trainingChart(net, 'losses', [['indLoss', 'InD loss'], ['oodLoss', 'OOD loss'], ['loss', 'InD loss, validation']], false),
    trainingChart(net, 'validation figures', [['accuracy', 'accuracy'], ['auroc', 'AUROC'], ['fnr95', 'FNR@95TNR']], true)]));
}

function trainingChart(net, what, keys, shares) {
  const epochs = net.training;
  const lines = keys.map(([key, name], index) => ({ name, index: shares ? [2, 0, 1][index] : index, points: epochs.filter(each => each[key] != null).map(each => [each.epoch + 1, each[key]]) }))
    .filter(line => line.points.length > 0);
  const values = lines.flatMap(line => line.points.map(point => point[1]));
  const low = Math.min(0, ...values), high = Math.max(...values);
  const best = epochs.filter(each => each.best).at(-1);
  const last = epochs[epochs.length - 1].epoch + 1;
  const plot = chart({ label: `Training of network ${net.name}: ${what} against epoch`, lines, stride: 1, height: 250,
    x: { low: Math.min(1, last - 1), high: last, format: String, title: 'epoch' }, y: shares ? { ...share, exact: figure } : { low, high: high > low ? high : low + 1, format: number, exact: figure },
    marks: best ? [{ x: best.epoch + 1, label: 'best' }] : [], cursor: { x: best ? best.epoch + 1 : last, head: at => `epoch ${Math.round(at)}` } });
  return h('div', {}, h('h3', {}, `Network ${net.name}: ${what}`), plot.place, plot.legend);
}

function about() {
  const facts = pairs => h('div', { class: 'scroll' }, h('table', {}, h('tbody', {}, pairs.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, h('code', {}, value)))))));
  const skipped = data.networks.flatMap(net => net.skipped.map(([name, reason]) => h('li', {}, `${name} (network ${net.name}): ${reason}`)));
  document.getElementById('about').append(...[h('h2', {}, 'How these figures were made'), ...data.notes.map(note => h('p', {}, note)),
    skipped.length ? h('details', {}, h('summary', {}, `${skipped.length} scorers could not run`), h('ul', {}, skipped)) : null,
    data.about.length ? facts(data.about) : null,
    h('details', {}, h('summary', {}, 'Scorers'), facts(data.networks[0].scorers.filter(each => each.description).map(each => [each.name, each.description]))),
    ...data.networks.filter(net => net.options).map(net => h('details', {}, h('summary', {}, `Training of network ${net.name}: options, data hashes, versions`),
      h('pre', {}, JSON.stringify(net.options, null, 2))))].filter(Boolean));
}

cards();
choices();
section('scores', 'Scores', 'How far apart the scores of InD and OOD samples lie. Bars are shares of each set, on a square-root scale; what lies beyond the edges counts in the outermost bars.', ['scorer', 'set'], scores);
section('roc', 'ROC curves', 'Share of OOD caught against share of InD alarmed, over all thresholds. Drag or press + and − to zoom, move the pointer or press the arrow keys to read values.', ['network', 'scorer', 'set'], roc);
section('results', 'All scorers on all sets', 'Choose what to show; a click on a heading sorts by it.', [], results);
section('calibration', 'Threshold', 'Move the threshold and see what it costs: alarms on InD, missed samples (FNR) on OOD. The calibrated one was chosen on validation samples.', ['network', 'scorer'], ofScorer(calibration));
section('examples', 'Examples', 'Extreme scores of the scorer that each network is judged by, with the classes it finds most probable. A coloured edge marks a mistake of the detector.', ['network', 'set'], examples);
section('confusion', 'Confusion of accepted samples', 'What the classifier makes of the InD test samples that raise no alarm.', ['network', 'scorer'], ofScorer(confusion));
if (data.networks.some(net => net.training)) section('training', 'Training', 'Losses as trained, figures on validation samples; the best epoch is the one that was kept.', [], training);
about();
