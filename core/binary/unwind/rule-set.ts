/** Unwind rules, each kept once: a table has many rows and few rules (libc 2.36: 25,000 rows, 1,300 rules). */
import type { CommonEntry } from '../../formats/cfi/entry.js';
import { RegisterRule, type UnwindRow } from '../../formats/cfi/row.js';
import type { RegisterFile } from './registers.js';

/**
 * A rule in `words`:
 *
 *     cfaRegister  cfaOffset  flags  count | register kind value | register kind value | …
 *
 * with the registers that it says something of, in order of number. Kinds are those of `RegisterRule`, `cfaRegister` and
 * `cfaOffset` are an `UnwindRow`'s.
 */
export const RuleWord = { cfaRegister: 0, cfaOffset: 1, flags: 2, count: 3, first: 4 } as const;
export const WORDS_PER_REGISTER = 3;

export const RuleFlag = {
  /** The frame was interrupted by a signal: its caller's pc is exact. */
  signalFrame: 1,
  /** arm64: the saved return address is signed. */
  signedReturnAddress: 2,
  /** No register is read but the CFA's: the return address and registers that calls keep are saved at offsets from the CFA. */
  plain: 4,
} as const;

export class RuleSet {
  /** All rules, one behind the other; valid up to the end of the last. */
  words = new Int32Array(1024);
  #used = 0;
  /** By rule: where it begins in `words`; one more for the end of the last. */
  #starts: number[] = [0];
  /** Open addressing: rule + 1; 0 is free. */
  #slots = new Int32Array(256);
  /** Its registers are followed, the others' rules are left out. */
  readonly file: RegisterFile;

  constructor(file: RegisterFile) {
    this.file = file;
  }

  get length(): number {
    return this.#starts.length - 1;
  }

  get heldBytes(): number {
    return this.words.byteLength + this.#slots.byteLength + 8 * this.#starts.length;
  }

  /** Where a rule begins in `words`. */
  start(rule: number): number {
    return this.#starts[rule]!;
  }

  /** @returns the number of the rule; equal rows have equal ones */
  intern(row: UnwindRow, common: CommonEntry): number {
    const start = this.#used;
    const end = this.#write(row, common);
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash(start, end) & mask; ; slot = (slot + 1) & mask) {
      const rule = this.#slots[slot]! - 1;
      if (rule >= 0 && !this.#isEqual(rule, start, end)) continue;
      if (rule >= 0) return rule;
      this.#slots[slot] = this.#starts.length;
      this.#used = end;
      this.#starts.push(end);
      if (this.length * 2 > this.#slots.length) this.#setSlots(2 * this.#slots.length);
      return this.length - 1;
    }
  }

  /** Has these rules, all different, in place of none. @param starts of each in `words` */
  take(words: Int32Array<ArrayBuffer>, starts: Uint32Array): void {
    this.words = words;
    this.#used = words.length;
    this.#starts = [...starts, words.length];
    let slots = this.#slots.length;
    while (this.length * 2 > slots) slots *= 2;
    this.#setSlots(slots);
  }

  /** Writes behind the last rule. @returns the end */
  #write(row: UnwindRow, common: CommonEntry): number {
    const start = this.#used;
    const followed = this.file.names.length;
    const most = start + RuleWord.first + WORDS_PER_REGISTER * followed;
    if (most > this.words.length) {
      const larger = new Int32Array(2 * most);
      larger.set(this.words);
      this.words = larger;
    }
    const { words } = this;
    let at = start + RuleWord.first;
    const { rules, values } = row;
    for (let register = 0; register < followed; register++) {
      const kind = rules[register]!;
      if (kind === RegisterRule.unspecified) continue;
      words[at++] = register;
      words[at++] = kind;
      words[at++] = values[register]!;
    }
    words[start + RuleWord.cfaRegister] = row.cfaRegister;
    words[start + RuleWord.cfaOffset] = row.cfaOffset;
    words[start + RuleWord.flags] =
      (common.isSignalFrame ? RuleFlag.signalFrame : 0) |
      (row.isReturnAddressSigned ? RuleFlag.signedReturnAddress : 0) |
      (!common.isSignalFrame && this.#isPlain(row) ? RuleFlag.plain : 0);
    words[start + RuleWord.count] = (at - start - RuleWord.first) / WORDS_PER_REGISTER;
    return at;
  }

  #isPlain({ cfaRegister, rules }: UnwindRow): boolean {
    const { names, returnAddress, stackPointer, volatile } = this.file;
    if (cfaRegister < 0 || cfaRegister >= names.length || rules[returnAddress] !== RegisterRule.offset) return false;
    for (let register = 0; register < names.length; register++) {
      const kind = rules[register]!;
      if (kind === RegisterRule.unspecified || kind === RegisterRule.sameValue || register === returnAddress) continue;
      if (kind !== RegisterRule.offset || register === stackPointer || volatile.includes(register)) return false;
    }
    return true;
  }

  #hash(start: number, end: number): number {
    let hash = 0;
    for (let at = start; at < end; at++) {
      hash = Math.imul(hash ^ this.words[at]!, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #isEqual(rule: number, start: number, end: number): boolean {
    const from = this.#starts[rule]!;
    if (this.#starts[rule + 1]! - from !== end - start) return false;
    for (let at = 0; at < end - start; at++) if (this.words[from + at] !== this.words[start + at]) return false;
    return true;
  }

  /** @param count a power of two */
  #setSlots(count: number): void {
    this.#slots = new Int32Array(count);
    const mask = count - 1;
    for (let rule = 0; rule < this.length; rule++) {
      let slot = this.#hash(this.#starts[rule]!, this.#starts[rule + 1]!) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = rule + 1;
    }
  }
}
