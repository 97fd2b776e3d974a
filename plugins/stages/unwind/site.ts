/** What a walk needs to know of one pc. */
import { NO_RULE, SPOILT_RULE, type UnwindTable } from '../../../core/binaries.js';
import { type AddressSpace, FormatError, NO_ROW } from '../../../core/index.js';
import type { BinaryTables } from './binary-tables.js';
import type { Ending } from './ending.js';
import type { GoFunctions } from './go-functions.js';
import type { GoRule } from './go-step.js';
import type { LocationRows } from './location-rows.js';
import type { Module, Modules } from './modules.js';

/** How the caller of a frame is found. */
export type Means =
  | { readonly method: 'go'; readonly rule: GoRule }
  | { readonly method: 'cfi'; readonly table: UnwindTable; readonly rule: number }
  | { readonly method: 'signal_return' }
  | { readonly method: 'frame_pointer' }
  | { readonly method: 'none'; readonly ending: Ending };

export interface Site {
  /** Whether the pc is that of an instruction about to run. Some return addresses are: see `GoFunctions.isEntry`. */
  readonly isExact: boolean;
  /** Undefined where no code is mapped. */
  readonly module: Module | undefined;
  /** Of the frame; NO_ROW where no code is mapped. */
  readonly locationRow: number;
  readonly means: Means;
  /** What else there is for this pc; only for an audit, else none. */
  readonly others: readonly Means[];
}

/** The code at the entry of a program or of the loader has no caller; it is that short until it has called its first function. */
const ENTRY_CODE_BYTES = 128;

export class Sites {
  readonly #modules: Modules;
  readonly #locations: LocationRows;
  readonly #isAudited: boolean;

  /** @param isAudited whether sites have their other means too */
  constructor(modules: Modules, locations: LocationRows, isAudited: boolean) {
    this.#modules = modules;
    this.#locations = locations;
    this.#isAudited = isAudited;
  }

  find(space: AddressSpace, pc: number, isExact: boolean): Site {
    if (!isExact) {
      const module = this.#moduleAt(space, pc);
      const tables = module?.tables;
      const bias = tables && module?.bias(pc);
      if (tables !== undefined && bias !== undefined && isPretendedReturn(tables, pc - bias)) {
        return this.find(space, pc, true);
      }
    }
    const lookupPc = isExact ? pc : pc - 1;
    const mapping = findMapping(space, lookupPc);
    if (mapping < 0) {
      const means: Means = { method: 'none', ending: 'no_mapping' };
      return { isExact, module: undefined, locationRow: NO_ROW, means, others: [] };
    }
    const module = this.#modules.at(mapping);
    const locationRow = this.#locations.row(mapping, pc, isExact);
    const all = meansAt(module, lookupPc, isExact);
    const means = all.next().value!;
    return { isExact, module, locationRow, means, others: this.#isAudited ? [...all] : [] };
  }

  #moduleAt(space: AddressSpace, address: number): Module | undefined {
    const mapping = findMapping(space, address);
    return mapping < 0 ? undefined : this.#modules.at(mapping);
  }
}

/** Whether no call returns to an object address, but the runtime or the kernel put it there as if one did. */
function isPretendedReturn(tables: BinaryTables, pc: number): boolean {
  if (tables.go !== undefined && tables.go.find(pc) >= 0) return tables.go.isEntry(pc);
  // glibc's table of it begins a byte before, for those who look up every return address there. The file is asked last: it has to be read.
  return tables.cfiAt(pc).every((table) => table.find(pc) === NO_RULE) && tables.beginsSignalReturn(pc);
}

/** All that apply, the one to take first: Go's table, call frame information, the frame pointer. Never none. */
function* meansAt(module: Module, lookupPc: number, isExact: boolean): Generator<Means, void> {
  const { tables } = module;
  if (tables === undefined) {
    yield module.isWithoutFile ? { method: 'frame_pointer' } : { method: 'none', ending: 'no_binary' };
    return;
  }
  const bias = module.bias(lookupPc);
  if (bias === undefined) {
    yield { method: 'none', ending: 'no_table' };
    return;
  }
  const pc = lookupPc - bias;
  if (tables.go !== undefined) yield* goMeans(tables.go, pc, bias);
  // In a system call the pc is that of the next instruction, which may be none of the function any more.
  const isBehindCall = isExact && tables.cfiAt(pc).every((table) => table.find(pc) === NO_RULE);
  yield* cfiMeans(tables, isBehindCall ? pc - 1 : pc);
  if (isExact && tables.isSignalReturn(pc)) yield { method: 'signal_return' };
  const intoEntry = pc - tables.entry;
  const isEntry = intoEntry >= 0 && intoEntry < ENTRY_CODE_BYTES;
  yield isEntry ? { method: 'none', ending: 'root' } : { method: 'frame_pointer' };
}

/** One for each table that has the pc. */
function* cfiMeans(tables: BinaryTables, pc: number): Generator<Means, void> {
  for (const table of tables.cfiAt(pc)) {
    const rule = table.find(pc);
    if (rule === SPOILT_RULE) yield { method: 'none', ending: 'spoilt_table' };
    else if (rule !== NO_RULE) yield { method: 'cfi', table, rule };
  }
}

/** None where no Go function is. */
function* goMeans(go: GoFunctions, pc: number, bias: number): Generator<Means, void> {
  const index = go.find(pc);
  if (index < 0) return;
  let delta: number | undefined;
  try {
    delta = go.stackDelta(index, pc);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    yield { method: 'none', ending: 'spoilt_table' };
    return;
  }
  const isGoCode = (runtimeAddress: number) => go.find(runtimeAddress - bias) >= 0;
  if (delta === undefined) yield { method: 'none', ending: 'no_table' };
  else yield { method: 'go', rule: { kind: go.kind(index), delta, isGoCode } };
}

/** @returns the mapping row that holds an address, −1 for none */
function findMapping({ starts, ends, mapping }: AddressSpace, address: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= address) low = middle + 1;
    else high = middle;
  }
  return low > 0 && address < ends[low - 1]! ? mapping[low - 1]! : -1;
}
