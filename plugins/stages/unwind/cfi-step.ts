/** One step from a frame to its caller by a rule of call frame information. Source: DWARF 5, 6.4.4 */
import {
  CFA_EXPRESSION,
  evaluateExpression,
  RegisterRule,
  RuleFlag,
  RuleWord,
  type UnwindTable,
  WORDS_PER_REGISTER,
} from '../../../core/binaries.js';
import { FormatError } from '../../../core/index.js';
import type { Ending } from './ending.js';
import type { FrameState } from './frame-state.js';
import type { StackMemory } from './stack-memory.js';

export class CfiStepper {
  readonly #state: FrameState;
  readonly #memory: StackMemory;
  /** Registers of the caller, while those of the frame are still needed. */
  readonly #next: Float64Array;

  constructor(state: FrameState, memory: StackMemory) {
    this.#state = state;
    this.#memory = memory;
    this.#next = new Float64Array(state.registers.length);
  }

  /** Changes the state to the caller's. @returns how the stack ends here; undefined when it goes on */
  step(table: UnwindTable, rule: number): Ending | undefined {
    const state = this.#state;
    const { registers, file } = state;
    const { words } = table.rules;
    const start = table.rules.start(rule);
    const cfa = this.#cfa(table, words[start + RuleWord.cfaRegister]!, words[start + RuleWord.cfaOffset]!);
    if (typeof cfa === 'string') return cfa;
    if ((words[start + RuleWord.flags]! & RuleFlag.plain) !== 0) return this.#stepPlain(words, start, cfa);

    const next = this.#next;
    next.set(registers);
    for (const register of file.volatile) next[register] = Number.NaN;
    next[file.stackPointer] = cfa;
    // On amd64 the return address is no register. On arm64 the link register holds it unless a rule says otherwise, but that of a
    // function that has called another holds what that one left.
    const hasLinkRegister = file.returnAddress < registers.length;
    let returnAddress = hasLinkRegister && state.isExact ? registers[file.returnAddress]! : Number.NaN;
    if (hasLinkRegister) next[file.returnAddress] = Number.NaN;
    const end = start + RuleWord.first + WORDS_PER_REGISTER * words[start + RuleWord.count]!;
    for (let at = start + RuleWord.first; at < end; at += WORDS_PER_REGISTER) {
      const register = words[at]!;
      const kind = words[at + 1]!;
      if (register !== file.returnAddress) {
        if (register < next.length) next[register] = this.#value(table, kind, words[at + 2]!, register, cfa);
        continue;
      }
      if (kind === RegisterRule.undefined) return 'root';
      if (kind === RegisterRule.sameValue) continue;
      const isSaved = kind === RegisterRule.offset;
      returnAddress = isSaved
        ? this.#memory.codeAddress(cfa + words[at + 2]!)
        : this.#value(table, kind, words[at + 2]!, register, cfa);
      if (Number.isNaN(returnAddress)) {
        return isSaved ? this.#memory.whyUnknown(cfa + words[at + 2]!) : 'lost_register';
      }
    }
    if (Number.isNaN(returnAddress)) return 'lost_register';
    const isSignalFrame = (words[start + RuleWord.flags]! & RuleFlag.signalFrame) !== 0;
    // At 0 a thread begins; a signal found there registers of two moments: the kernel was about to give the interrupted ones back.
    if (returnAddress === 0) return isSignalFrame ? 'no_mapping' : 'root';

    if (isSignalFrame) {
      state.toInterrupted(returnAddress, cfa);
    } else {
      if (!hasMoved(state, cfa, returnAddress)) return 'no_progress';
      state.pc = returnAddress;
      state.isExact = false;
    }
    registers.set(next);
    return undefined;
  }

  /** The same for a rule that is `plain`, in place: nearly all frames come here. */
  #stepPlain(words: Int32Array, start: number, cfa: number): Ending | undefined {
    const state = this.#state;
    const memory = this.#memory;
    const { registers, file } = state;
    const first = start + RuleWord.first;
    const end = first + WORDS_PER_REGISTER * words[start + RuleWord.count]!;
    let returnAddressAt = first;
    while (words[returnAddressAt] !== file.returnAddress) returnAddressAt += WORDS_PER_REGISTER;
    const savedAt = cfa + words[returnAddressAt + 2]!;
    const returnAddress = memory.codeAddress(savedAt);
    if (Number.isNaN(returnAddress)) return memory.whyUnknown(savedAt);
    if (returnAddress === 0) return 'root';
    if (!hasMoved(state, cfa, returnAddress)) return 'no_progress';
    for (let at = first; at < end; at += WORDS_PER_REGISTER) {
      if (words[at + 1] === RegisterRule.offset) registers[words[at]!] = memory.word(cfa + words[at + 2]!);
    }
    registers[file.returnAddress] = Number.NaN;
    state.toCaller(returnAddress, cfa);
    return undefined;
  }

  #cfa(table: UnwindTable, register: number, offset: number): number | Ending {
    if (register === CFA_EXPRESSION) return this.#evaluate(table, offset, []) ?? 'bad_read';
    const base = this.#state.registers[register];
    return base === undefined || Number.isNaN(base) ? 'lost_register' : base + offset;
  }

  /** @returns NaN when it cannot be known */
  #value(table: UnwindTable, kind: number, value: number, register: number, cfa: number): number {
    switch (kind) {
      case RegisterRule.offset:
        return this.#memory.word(cfa + value);
      case RegisterRule.valueOffset:
        return cfa + value;
      case RegisterRule.register:
        return this.#state.registers[value] ?? Number.NaN;
      case RegisterRule.sameValue:
        return this.#state.registers[register]!;
      case RegisterRule.expression: {
        const address = this.#evaluate(table, value, [cfa]);
        return address === undefined ? Number.NaN : this.#memory.word(address);
      }
      case RegisterRule.valueExpression:
        return this.#evaluate(table, value, [cfa]) ?? Number.NaN;
      default:
        return Number.NaN;
    }
  }

  /** @returns undefined where the expression needs what is not known, or cannot be evaluated */
  #evaluate(table: UnwindTable, offset: number, pushed: readonly number[]): number | undefined {
    const { registers, pc, file } = this.#state;
    try {
      const value = evaluateExpression(table.section, offset, pushed.map(BigInt), {
        register(number) {
          const found = number === file.returnAddress && file.architecture === 'amd64' ? pc : registers[number];
          return found === undefined || Number.isNaN(found) ? undefined : BigInt(found);
        },
        read: (address, bytes) => this.#memory.exact(address, bytes),
      });
      return value === undefined ? undefined : Number(value);
    } catch (error) {
      if (error instanceof FormatError) return undefined;
      throw error;
    }
  }
}

/** A stack only shrinks towards its root. */
function hasMoved(state: FrameState, cfa: number, returnAddress: number): boolean {
  return cfa > state.sp || (cfa === state.sp && returnAddress !== state.pc);
}
