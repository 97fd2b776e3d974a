/**
 * Code that a program made while it ran, as it tells perf in /tmp/perf-PID.map: a line `START SIZE NAME`, numbers in hexadecimal, for each
 * function as it is made. Where ranges overlap the later line holds: the older code has gone. Source: the kernel's
 * tools/perf/Documentation/jit-interface.txt.
 */
import { Budget, type Limits } from '../limits.js';
import { AddressNames, type NamedRange } from '../symbols/address-names.js';
import { forEachLine, spoiltLine } from './lines.js';

const LINE = /^(?:0x)?([0-9a-f]{1,16}) +(?:0x)?([0-9a-f]{1,16}) (.+)$/i;

/** @throws FormatError for a line of another form; a last one without end is cut, and left out */
export function readPerfMap(bytes: Uint8Array, limits: Partial<Limits> = {}): AddressNames {
  const written: NamedRange[] = [];
  forEachLine(bytes, new Budget(limits), (line, number, isWhole) => {
    if (line === '') return;
    const match = isWhole ? LINE.exec(line) : null;
    if (match === null) {
      if (!isWhole) return;
      throw spoiltLine('E_PERF_MAP', 'a line "START SIZE NAME"', line, number);
    }
    const start = BigInt(`0x${match[1]}`);
    const end = BigInt.asUintN(64, start + BigInt(`0x${match[2]}`));
    if (end > start) written.push({ start, end, name: match[3]! });
  });
  return new AddressNames(laterOverEarlier(written));
}

/** Disjoint pieces in ascending order, each of the last range that holds it. Pieces of one range that lie side by side are joined. */
function laterOverEarlier(written: readonly NamedRange[]): NamedRange[] {
  const byStart = written
    .map((_, index) => index)
    .sort((a, b) => compare(written[a]!.start, written[b]!.start) || a - b);
  const pieces: NamedRange[] = [];
  const add = (start: bigint, end: bigint, index: number) => {
    const last = pieces.at(-1);
    const { name } = written[index]!;
    if (last !== undefined && last.end === start && last.name === name) pieces[pieces.length - 1] = { ...last, end };
    else if (end > start) pieces.push({ start, end, name });
  };
  // Ranges that have begun, the latest of the file on top; those that have ended are dropped when they come to the top.
  const begun = new MaxHeap();
  let at = 0n;
  const closeUntil = (limit: bigint | undefined) => {
    for (let top = begun.top; top !== undefined; top = begun.top) {
      const { end } = written[top]!;
      const until = limit !== undefined && limit < end ? limit : end;
      if (until > at) {
        add(at, until, top);
        at = until;
      }
      if (end > at) return;
      begun.pop();
    }
  };
  for (const index of byStart) {
    const { start } = written[index]!;
    closeUntil(start);
    at = start;
    begun.push(index);
  }
  closeUntil(undefined);
  return pieces;
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

class MaxHeap {
  readonly #items: number[] = [];

  get top(): number | undefined {
    return this.#items[0];
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && items[parent]! < item; parent = (at - 1) >> 1) {
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): void {
    const items = this.#items;
    const item = items.pop();
    if (item === undefined || items.length === 0) return;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && items[child + 1]! > items[child]!) child++;
      if (items[child]! <= item) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
