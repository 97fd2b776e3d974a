/**
 * Bounds and nil checks of a listed function, found another way than core/binary/checks does: forwards. From every conditional jump
 * it is asked whether one way runs straight into a panic; and the compares are those whose flags reach the jump, by a fixed point
 * over all instructions of the function.
 */
import type { ListedFunction, ListedInstruction } from './objdump.js';

export interface CheckTruth {
  readonly jumps: ReadonlySet<number>;
  readonly compares: ReadonlySet<number>;
  readonly nilLoads: ReadonlySet<number>;
}

interface Dialect {
  readonly conditional: RegExp;
  /** Conditional jumps that test a register instead of flags. */
  readonly registerTest: RegExp;
  readonly unconditional: RegExp;
  readonly call: RegExp;
  readonly stop: RegExp;
  readonly setsFlags: RegExp;
  readonly compares: RegExp;
  readonly isNilLoad: (instruction: ListedInstruction) => boolean;
}

const x86: Dialect = {
  conditional: /^j(?!mp)/,
  registerTest: /^j(e|r)?cxz/,
  unconditional: /^jmpq?$/,
  call: /^callq?$/,
  stop: /^(ret|ud2|int3|hlt)/,
  setsFlags:
    /^(add|adc|sub|sbb|and|or|xor|inc|dec|neg|cmp|test|i?mul|i?div|sh[lr]d?|sa[lr]|r[oc][lr]|bt[crs]?|bs[fr]|popcnt|[lt]zcnt|xadd|cmpxchg(8b|16b)?|andn|bextr|bls(i|r|msk)|bzhi|adcx|adox)[bwlq]?$|^v?u?comis[sd]$|^v?ptest$|^(sahf|popfq?|cmc|clc|stc)$|^rep\w*\s+(cmps|scas)/,
  compares: /^(cmp|test)[bwlq]?$/,
  isNilLoad: ({ mnemonic, operands }) => mnemonic === 'testb' && /^%al, (0x0|0)?\(%r\w+\)$/.test(operands),
};

const arm64: Dialect = {
  conditional: /^(b\.(?!al|nv)|cbn?z|tbn?z)/,
  registerTest: /^(cbn?z|tbn?z)$/,
  unconditional: /^b$/,
  call: /^(bl|blr)$/,
  stop: /^(ret|br|brk|udf|hlt)/,
  setsFlags: /^(cmp|cmn|tst|adds|subs|ands|bics|adcs|sbcs|negs|ngcs|ccmp|ccmn|fcmpe?|fccmpe?)$/,
  compares: /^(cmp|cmn|tst)$/,
  isNilLoad: ({ mnemonic, operands }) => mnemonic === 'ldrsb' && /^x27, \[\w+\]$/.test(operands),
};

const panics = /^runtime\.panic(Index|Slice(Alen|Acap|B|3Alen|3Acap|3B|3C)|Index|SliceConvert|Bounds)U?(\.abi0)?$/;
const reporters = /^runtime\.(panicBounds|goPanic(Index|Slice))/;

/** Longest way from the jump to the panic, in instructions. */
const MAX_ARGUMENTS = 12;

export function checkTruth(listed: ListedFunction, architecture: 'amd64' | 'arm64'): CheckTruth {
  const dialect = architecture === 'amd64' ? x86 : arm64;
  const { instructions } = listed;
  const rowOf = new Map(instructions.map(({ address }, row) => [address, row]));
  const jumps = new Set<number>();
  const compares = new Set<number>();
  const jumpRows = reporters.test(listed.name) ? [] : guardingRows(instructions, rowOf, dialect);
  if (jumpRows.length > 0) {
    const setters = reachingSetters(instructions, rowOf, dialect);
    for (const row of jumpRows) {
      jumps.add(instructions[row]!.address);
      if (dialect.registerTest.test(instructions[row]!.mnemonic)) continue;
      for (const setter of setters[row] ?? []) {
        if (dialect.compares.test(instructions[setter]!.mnemonic)) compares.add(instructions[setter]!.address);
      }
    }
  }
  const nilLoads = isCompiledGo(listed.name)
    ? instructions.filter(dialect.isNilLoad).map(({ address }) => address)
    : [];
  return { jumps, compares, nilLoads: new Set(nilLoads) };
}

/** Symbols of Go packages have a dot or a colon; those of C and of assembly without a package have none. */
const isCompiledGo = (symbol: string): boolean => /[.:]/.test(symbol);

function guardingRows(
  instructions: readonly ListedInstruction[],
  rowOf: ReadonlyMap<number, number>,
  dialect: Dialect,
) {
  const found: number[] = [];
  instructions.forEach(({ mnemonic, target }, row) => {
    if (!dialect.conditional.test(mnemonic)) return;
    const ways = [target === undefined ? undefined : rowOf.get(target), row + 1];
    const ends = ways.filter((way) => way !== undefined && runsIntoPanic(instructions, rowOf, dialect, way));
    if (ends.length === 1) found.push(row);
  });
  return found;
}

function runsIntoPanic(
  instructions: readonly ListedInstruction[],
  rowOf: ReadonlyMap<number, number>,
  dialect: Dialect,
  start: number,
): boolean {
  let row: number | undefined = start;
  for (let passed = 0; passed < MAX_ARGUMENTS && row !== undefined; passed++) {
    const instruction: ListedInstruction | undefined = instructions[row];
    if (instruction === undefined) return false;
    const { mnemonic, symbol, target }: ListedInstruction = instruction;
    if (dialect.call.test(mnemonic)) return symbol !== undefined && panics.test(symbol);
    if (dialect.conditional.test(mnemonic) || dialect.stop.test(mnemonic)) return false;
    if (dialect.compares.test(mnemonic)) return false;
    if (!dialect.unconditional.test(mnemonic)) row++;
    else row = target === undefined ? undefined : rowOf.get(target);
  }
  return false;
}

/** By row, the rows whose flags may hold there before it runs. */
function reachingSetters(
  instructions: readonly ListedInstruction[],
  rowOf: ReadonlyMap<number, number>,
  dialect: Dialect,
): readonly ReadonlySet<number>[] {
  const reaching = instructions.map(() => new Set<number>());
  const pending = instructions.map((_, row) => row).reverse();
  const isPending = instructions.map(() => true);
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    isPending[row] = false;
    const after = flagsAfter(instructions[row]!, row, reaching[row]!, dialect);
    for (const next of successors(instructions, rowOf, dialect, row)) {
      const known = reaching[next]!;
      const before = known.size;
      for (const setter of after) known.add(setter);
      if (known.size > before && !isPending[next]) {
        isPending[next] = true;
        pending.push(next);
      }
    }
  }
  return reaching;
}

function flagsAfter(
  { mnemonic, symbol }: ListedInstruction,
  row: number,
  before: ReadonlySet<number>,
  dialect: Dialect,
) {
  if (dialect.call.test(mnemonic)) return /^runtime\.duff(zero|copy)/.test(symbol ?? '') ? before : [];
  return dialect.setsFlags.test(mnemonic) ? [row] : before;
}

function successors(
  instructions: readonly ListedInstruction[],
  rowOf: ReadonlyMap<number, number>,
  dialect: Dialect,
  row: number,
): number[] {
  const { mnemonic, target } = instructions[row]!;
  const isJump = dialect.unconditional.test(mnemonic);
  const next = isJump || dialect.stop.test(mnemonic) ? undefined : row + 1;
  const jumped = isJump || dialect.conditional.test(mnemonic) ? target && rowOf.get(target) : undefined;
  return [next, jumped].filter((way): way is number => way !== undefined && way < instructions.length);
}
