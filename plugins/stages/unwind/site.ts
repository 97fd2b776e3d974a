/** What a walk needs to know of one pc, found once: pcs repeat from stack to stack. */
import { type AddressSpace, FormatError, NO_ROW, NO_RULE, SPOILT_RULE, type UnwindTable } from '../../../core/index.js';
import type { Ending } from './ending.js';
import type { GoFunctions } from './go-functions.js';
import type { GoRule } from './go-step.js';
import type { LocationRows } from './location-rows.js';
import type { Module, Modules } from './modules.js';

/** How the caller of a frame is found. */
export type Means =
  | { readonly method: 'go'; readonly rule: GoRule }
  | { readonly method: 'cfi'; readonly table: UnwindTable; readonly rule: number }
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
}

/** The code at the entry of a program or of the loader has no caller; it is that short until it has called its first function. */
const ENTRY_CODE_BYTES = 128;

export class Sites {
  readonly #modules: Modules;
  readonly #locations: LocationRows;
  /** By address space; sites by pc, exact ones and return addresses apart. */
  readonly #known = new Map<AddressSpace, readonly [Map<number, Site>, Map<number, Site>]>();

  constructor(modules: Modules, locations: LocationRows) {
    this.#modules = modules;
    this.#locations = locations;
  }

  at(space: AddressSpace, pc: number, isExact: boolean): Site {
    let known = this.#known.get(space);
    if (known === undefined) {
      known = [new Map(), new Map()];
      this.#known.set(space, known);
    }
    const sites = known[isExact ? 1 : 0];
    let site = sites.get(pc);
    if (site === undefined) {
      site = this.#find(space, pc, isExact);
      sites.set(pc, site);
    }
    return site;
  }

  #find(space: AddressSpace, pc: number, isExact: boolean): Site {
    if (!isExact) {
      const module = this.#moduleAt(space, pc);
      const go = module?.tables?.go;
      const bias = go && module?.bias(pc);
      if (go !== undefined && bias !== undefined && go.isEntry(pc - bias)) return this.#find(space, pc, true);
    }
    const lookupPc = isExact ? pc : pc - 1;
    const mapping = findMapping(space, lookupPc);
    if (mapping < 0) {
      return { isExact, module: undefined, locationRow: NO_ROW, means: { method: 'none', ending: 'no_mapping' } };
    }
    const module = this.#modules.at(mapping);
    return {
      isExact,
      module,
      locationRow: this.#locations.row(mapping, pc, isExact),
      means: meansAt(module, lookupPc, isExact),
    };
  }

  #moduleAt(space: AddressSpace, address: number): Module | undefined {
    const mapping = findMapping(space, address);
    return mapping < 0 ? undefined : this.#modules.at(mapping);
  }
}

/** By the first that applies: Go's table, call frame information, the frame pointer. */
function meansAt(module: Module, lookupPc: number, isExact: boolean): Means {
  const { tables } = module;
  if (tables === undefined) {
    return module.isWithoutFile ? { method: 'frame_pointer' } : { method: 'none', ending: 'no_binary' };
  }
  const bias = module.bias(lookupPc);
  if (bias === undefined) return { method: 'none', ending: 'no_table' };
  const pc = lookupPc - bias;
  const byGo = tables.go && goMeans(tables.go, pc, bias);
  if (byGo !== undefined) return byGo;
  // In a system call the pc is that of the next instruction, which may be none of the function any more.
  const byCfi = cfiMeans(tables.tables, pc) ?? (isExact ? cfiMeans(tables.tables, pc - 1) : undefined);
  if (byCfi !== undefined) return byCfi;
  const intoEntry = pc - tables.entry;
  if (intoEntry >= 0 && intoEntry < ENTRY_CODE_BYTES) return { method: 'none', ending: 'root' };
  return { method: 'frame_pointer' };
}

/** @returns undefined where no table has the pc */
function cfiMeans(tables: readonly UnwindTable[], pc: number): Means | undefined {
  for (const table of tables) {
    const rule = table.find(pc);
    if (rule === SPOILT_RULE) return { method: 'none', ending: 'spoilt_table' };
    if (rule !== NO_RULE) return { method: 'cfi', table, rule };
  }
  return undefined;
}

/** @returns undefined where no Go function is */
function goMeans(go: GoFunctions, pc: number, bias: number): Means | undefined {
  const index = go.find(pc);
  if (index < 0) return undefined;
  try {
    const delta = go.stackDelta(index, pc);
    if (delta === undefined) return { method: 'none', ending: 'no_table' };
    const isGoCode = (runtimeAddress: number) => go.find(runtimeAddress - bias) >= 0;
    return { method: 'go', rule: { kind: go.kind(index), delta, isGoCode } };
  } catch (error) {
    if (error instanceof FormatError) return { method: 'none', ending: 'spoilt_table' };
    throw error;
  }
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
