/** The runtime's functions that a failed bounds check calls, and those that leave the flags alone, by a binary's Go table. */
import { FormatError } from '../../formats/errors.js';
import type { GoTable } from '../../formats/gopclntab/table.js';
import { PcData } from '../../formats/gopclntab/table.js';
import type { BoundsCheckName } from './check.js';

/** In the order of the codes of `internal/abi.BoundsErrorCode`. */
const byCode: readonly BoundsCheckName[] = [
  'index',
  'slice-alen',
  'slice-acap',
  'slice-b',
  'slice3-alen',
  'slice3-acap',
  'slice3-b',
  'slice3-c',
  'slice-convert',
];

/** Go ≤ 1.25: one function a kind, and one more for unsigned indexes. */
const byFunction: ReadonlyMap<string, BoundsCheckName> = new Map([
  ['runtime.panicIndex', 'index'],
  ['runtime.panicIndexU', 'index'],
  ['runtime.panicSliceAlen', 'slice-alen'],
  ['runtime.panicSliceAlenU', 'slice-alen'],
  ['runtime.panicSliceAcap', 'slice-acap'],
  ['runtime.panicSliceAcapU', 'slice-acap'],
  ['runtime.panicSliceB', 'slice-b'],
  ['runtime.panicSliceBU', 'slice-b'],
  ['runtime.panicSlice3Alen', 'slice3-alen'],
  ['runtime.panicSlice3AlenU', 'slice3-alen'],
  ['runtime.panicSlice3Acap', 'slice3-acap'],
  ['runtime.panicSlice3AcapU', 'slice3-acap'],
  ['runtime.panicSlice3B', 'slice3-b'],
  ['runtime.panicSlice3BU', 'slice3-b'],
  ['runtime.panicSlice3C', 'slice3-c'],
  ['runtime.panicSlice3CU', 'slice3-c'],
  ['runtime.panicSliceConvert', 'slice-convert'],
]);

/** Go ≥ 1.26: one function; the kind is in the pcdata of the call. */
const BY_PCDATA = 'runtime.panicBounds';

/** The way from the panic function to the panic itself: checks in there are no program's. */
const reporting = /^runtime\.(goPanic(Index|Slice)|panicBounds|panicIndex|panicSlice)/;

/** Called in the middle, between a compare and its jump: they clear or copy memory by moves alone. */
const flagKeeping: ReadonlySet<string> = new Set(['runtime.duffzero', 'runtime.duffcopy']);

export interface PanicFunctions {
  /** Whether an object address is the entry of a function that reports a failed bounds check. */
  has(target: number): boolean;
  /** Kind of the check whose failure calls. @param returnAddress object address behind the call */
  checkName(functionIndex: number, target: number, returnAddress: number): BoundsCheckName | 'unknown';
  /** Whether a call leaves the flags as they were: its target lies in duffzero or duffcopy. */
  keepsFlags(target: number): boolean;
}

export function findPanicFunctions(go: GoTable): PanicFunctions {
  const names = new Map<number, BoundsCheckName | typeof BY_PCDATA>();
  const keeping: { readonly start: number; readonly end: number }[] = [];
  for (let index = 0; index < go.length; index++) {
    const name = readableName(go, index);
    if (name === undefined || !name.startsWith('runtime.')) continue;
    const check = name === BY_PCDATA ? BY_PCDATA : byFunction.get(name);
    if (check !== undefined) names.set(go.entry(index), check);
    if (flagKeeping.has(name)) keeping.push({ start: go.entry(index), end: go.end(index) });
  }
  return {
    has: (target) => names.has(target),
    checkName(functionIndex, target, returnAddress) {
      const name = names.get(target) ?? 'unknown';
      if (name !== BY_PCDATA) return name;
      // The runtime looks up the return address − 1. Bits above the code say where the operands are. Source: internal/abi/bounds.go.
      const value = go.pcdata(functionIndex, PcData.panicBounds, returnAddress - 1);
      return value < 0 ? 'unknown' : byCode[value % byCode.length]!;
    },
    keepsFlags: (target) => keeping.some(({ start, end }) => target >= start && target < end),
  };
}

/** Undefined for a spoilt name: the other functions' checks are found all the same. */
function readableName(go: GoTable, index: number): string | undefined {
  try {
    return go.name(index);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Whether a function belongs to the reporting of a failed bounds check itself. */
export const reportsBounds = (functionName: string): boolean => reporting.test(functionName);
