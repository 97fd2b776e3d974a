/** A drawing in DOT, Graphviz' language. */
import type { Drawing, DrawnNode } from './drawing.js';

const shapes = { end: 'box, style=rounded', step: 'box', barrier: 'hexagon' } as const;

export function* dot({ source, tasks, outputs, edges }: Drawing): Generator<string> {
  yield 'digraph pipeline {';
  yield '  rankdir=LR;';
  yield `  ${node(source)}`;
  for (const { id, title, nodes } of tasks) {
    // Graphviz draws a box around a subgraph whose name begins so.
    yield `  subgraph cluster_${id} {`;
    yield `    label=${quoted([title])};`;
    for (const inner of nodes) yield `    ${node(inner)}`;
    yield '  }';
  }
  for (const output of outputs) yield `  ${node(output)}`;
  for (const { from, to, label } of edges) {
    yield `  ${from} -> ${to}${label === undefined ? '' : ` [label=${quoted([label])}]`};`;
  }
  yield '}';
}

function node({ id, shape, lines }: DrawnNode): string {
  return `${id} [shape=${shapes[shape]}, label=${quoted(lines)}];`;
}

/** A quoted string: the quote and the backslash are escaped, `\n` centres the next line. */
function quoted(lines: readonly string[]): string {
  const texts = lines.filter((line) => line !== '').map((line) => line.replace(/["\\]/g, '\\$&'));
  return `"${texts.join('\\n')}"`;
}
