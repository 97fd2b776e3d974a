/**
 * Sums of samples' values: exact, whatever the order of adding. A sum is an int64 in two words, and how often it went around:
 * intermediate sums may leave the range and come back, so only the last one is judged.
 */
import { Words } from './growing.js';

export class Sums {
  /** Low word of value i at 2i, high word at 2i + 1. */
  readonly words: Words;
  /** By value: how many times 2^64 is to be added. Nearly always empty. */
  readonly turns: Map<number, number>;

  constructor(words = new Words(), turns = new Map<number, number>()) {
    this.words = words;
    this.turns = turns;
  }

  /** Appends `count` values from `source`, two words each, starting with value `from`. */
  append(source: Int32Array, from: number, count: number): void {
    this.words.reserve(2 * count);
    const { data, length } = this.words;
    for (let i = 0; i < 2 * count; i++) data[length + i] = source[2 * from + i]!;
    this.words.length = length + 2 * count;
  }

  /** Adds `count` values from `source` to those that start with value `to`. */
  add(to: number, source: Int32Array, from: number, count: number): void {
    const { data } = this.words;
    for (let i = 0; i < count; i++) {
      const at = 2 * (to + i);
      const low = source[2 * (from + i)]!;
      const high = source[2 * (from + i) + 1]!;
      const lowSum = (data[at]! + low) | 0;
      const carry = lowSum >>> 0 < low >>> 0 ? 1 : 0;
      const oldHigh = data[at + 1]!;
      const newHigh = (oldHigh + high + carry) | 0;
      data[at] = lowSum;
      data[at + 1] = newHigh;
      // Two numbers of one sign with a sum of the other.
      if (((oldHigh ^ newHigh) & (high ^ newHigh)) < 0) this.turn(to + i, high < 0 ? -1 : 1);
    }
  }

  turn(value: number, times: number): void {
    const turns = (this.turns.get(value) ?? 0) + times;
    if (turns === 0) this.turns.delete(value);
    else this.turns.set(value, turns);
  }
}
