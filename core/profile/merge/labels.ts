/** The labels of one sample, in an order of keys: strings before numbers, and the labels of one key in the order they have. */
import { LABEL_WIDTH } from './state.js';

/** LABEL_WIDTH words a label: key, string, number (low, high), unit. */
export type LabelTuples = Uint32Array;

/** Sorts the first `count` labels in place, stable. @param order place of a key among the keys */
export function sortLabels(tuples: LabelTuples, count: number, order: (key: number) => number): void {
  const held = new Uint32Array(LABEL_WIDTH);
  for (let at = LABEL_WIDTH; at < count * LABEL_WIDTH; at += LABEL_WIDTH) {
    let to = at;
    while (to > 0 && isBehind(tuples, to - LABEL_WIDTH, at, order)) to -= LABEL_WIDTH;
    if (to === at) continue;
    held.set(tuples.subarray(at, at + LABEL_WIDTH));
    tuples.copyWithin(to + LABEL_WIDTH, to, at);
    tuples.set(held, to);
  }
}

function isBehind(tuples: LabelTuples, a: number, b: number, order: (key: number) => number): boolean {
  const numberA = tuples[a + 1] === 0;
  const numberB = tuples[b + 1] === 0;
  if (numberA !== numberB) return numberA;
  return order(tuples[a]!) > order(tuples[b]!);
}
