/** A drawing in mermaid's language. */
import type { Drawing, DrawnNode } from './drawing.js';

const brackets = { end: ['([', '])'], step: ['[', ']'], barrier: ['{{', '}}'] } as const;

export function* mermaid({ source, tasks, outputs, edges }: Drawing): Generator<string> {
  yield 'flowchart LR';
  yield `  ${node(source)}`;
  for (const { id, title, nodes } of tasks) {
    yield `  subgraph ${id}[${label([title])}]`;
    for (const inner of nodes) yield `    ${node(inner)}`;
    yield '  end';
  }
  for (const output of outputs) yield `  ${node(output)}`;
  for (const { from, to, label: text } of edges) yield `  ${from} -->${text === undefined ? '' : `|${text}|`} ${to}`;
}

function node({ id, shape, lines }: DrawnNode): string {
  const [open, close] = brackets[shape];
  return `${id}${open}${label(lines)}${close}`;
}

/** A quoted text of mermaid: it knows HTML's entities by number, and no backslash. */
function label(lines: readonly string[]): string {
  const entity = (character: string) => `#${character.codePointAt(0)};`;
  const texts = lines.filter((line) => line !== '').map((line) => line.replace(/["#<>&;`]/g, entity));
  return `"${texts.join('<br/>')}"`;
}
