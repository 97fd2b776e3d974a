/**
 * Draws the picture of the README from real output: `npm run -s picture -- out/enriched.json > docs/enriched.svg`.
 * A flame graph of what the processor spent, root on top, with the checks that `mark` found in colour.
 */
import { readFileSync } from 'node:fs';

const WIDTH = 1000;
const ROW = 17;
/** Narrower boxes are left out: they could not be seen. */
const LEAST_WIDTH = 1;
/** Rows below are cut off: they are the allocator's. */
const MOST_ROWS = 13;
const CHARACTER = 6.2;
/** Frames above it are the runtime's start-up, the same in all stacks. */
const ROOT = 'main.main';
const colours = { 'runtime.boundcheck': '#d1242f', 'runtime.nilcheck': '#8250df' };

const profile = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const type = profile.sampleTypes.findIndex(({ type }) => type === 'cpu');

/** Names of a stack, root first, inlined calls as frames of their own. */
function framesOf({ stack }) {
  const names = stack.flatMap((row) =>
    profile.locations[row].lines.map(({ function: index }) => profile.functions[index].name),
  );
  return names.reverse();
}

const root = { name: 'all', value: 0, children: new Map() };
for (const sample of profile.samples) {
  const frames = framesOf(sample);
  const value = Number(sample.values[type]);
  let node = root;
  node.value += value;
  for (const name of frames.slice(Math.max(0, frames.indexOf(ROOT)))) {
    if (!node.children.has(name)) node.children.set(name, { name, value: 0, children: new Map() });
    node = node.children.get(name);
    node.value += value;
  }
}

const escapeXml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const round = (length) => Math.round(length * 10) / 10;
const boxes = [];
let rows = 0;

function draw(node, x, row) {
  const width = (node.value / root.value) * WIDTH;
  if (width < LEAST_WIDTH || row >= MOST_ROWS) return;
  rows = Math.max(rows, row + 1);
  const share = `${((100 * node.value) / root.value).toFixed(1)} %`;
  const shown = node.name.slice(0, Math.max(0, Math.floor((width - 6) / CHARACTER)));
  const fill = colours[node.name] ?? (row % 2 === 0 ? '#dfe7f1' : '#d2deec');
  const ink = colours[node.name] === undefined ? '#1f2328' : '#ffffff';
  boxes.push(
    `<g><title>${escapeXml(node.name)} ${share}</title>` +
      `<rect x="${round(x)}" y="${row * ROW}" width="${round(width - 0.5)}" height="${ROW - 1}" fill="${fill}"/>` +
      (shown.length < 3
        ? ''
        : `<text x="${round(x + 3)}" y="${row * ROW + 12}" fill="${ink}">${escapeXml(shown)}</text>`) +
      '</g>',
  );
  let at = x;
  for (const child of [...node.children.values()].sort((a, b) => b.value - a.value)) {
    draw(child, at, row + 1);
    at += (child.value / root.value) * WIDTH;
  }
}

draw(root, 0, 0);
process.stdout.write(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${rows * ROW}" font-family="monospace" font-size="10">
<title>${escapeXml(process.argv[2])}: where the processor's time went, checks in colour</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${boxes.join('\n')}
</svg>
`,
);
