/**
 * Symbols of a Linux kernel and its modules, as /proc/kallsyms lists them: `ffffffff81000000 T name`, or with `\t[module]` behind. Sizes are not
 * given: a function ends at the next symbol of any kind. Source: the kernel's Documentation of proc, and nm(1) for the types.
 */
import { FormatError } from '../errors.js';
import { Budget, type Limits } from '../limits.js';
import { AddressNames, type NamedRange } from '../symbols/address-names.js';
import { forEachLine, spoiltLine } from './lines.js';

const LINE = /^([0-9a-f]{1,16}) ([a-z]) ([^\s]+)(?:\s+\[[^\]]*\])?\s*$/i;
/** Absolute ones and offsets of variables of a processor: no addresses. */
const NO_ADDRESS = /^a$/i;
const CODE = /^[tw]$/i;
/** What has none behind it has no end: the last function, which is small as all are. */
const LAST_BYTES = 4096n;

interface KernelSymbol {
  readonly address: bigint;
  readonly type: string;
  readonly name: string;
}

/** @throws FormatError for a line of another form; for a list whose addresses the kernel has hidden */
export function readKallsyms(bytes: Uint8Array, limits: Partial<Limits> = {}): AddressNames {
  const symbols: KernelSymbol[] = [];
  let hasAddress = false;
  forEachLine(bytes, new Budget(limits), (line, number, isWhole) => {
    if (line === '') return;
    const match = LINE.exec(line);
    if (match === null) {
      if (!isWhole) return;
      throw spoiltLine('E_KALLSYMS', 'a line "ADDRESS TYPE NAME"', line, number);
    }
    const [, digits, type, name] = match as unknown as [string, string, string, string];
    const address = BigInt(`0x${digits}`);
    hasAddress ||= address !== 0n;
    if (!NO_ADDRESS.test(type)) symbols.push({ address, type, name });
  });
  if (symbols.length > 0 && !hasAddress) {
    throw new FormatError('E_KALLSYMS_HIDDEN', 'all addresses are 0: the kernel hides them (kernel.kptr_restrict)');
  }
  return new AddressNames(ranges(symbols));
}

function ranges(symbols: KernelSymbol[]): NamedRange[] {
  symbols.sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
  const found: NamedRange[] = [];
  for (let first = 0; first < symbols.length; ) {
    const start = symbols[first]!.address;
    let next = first;
    let best: KernelSymbol | undefined;
    for (; next < symbols.length && symbols[next]!.address === start; next++) {
      const symbol = symbols[next]!;
      if (CODE.test(symbol.type) && (best === undefined || isBetter(symbol, best))) best = symbol;
    }
    const end = symbols[next]?.address ?? start + LAST_BYTES;
    if (best !== undefined) found.push({ start, end, name: best.name });
    first = next;
  }
  return found;
}

/** Of aliases, the one that perf shows: strong, global, with fewer underscores in front, longer; else the first of the file. */
function isBetter(symbol: KernelSymbol, other: KernelSymbol): boolean {
  const rank = ({ type, name }: KernelSymbol) => [
    /w/i.test(type) ? 1 : 0,
    type === type.toLowerCase() ? 1 : 0,
    /^_*/.exec(name)![0].length,
    -name.length,
  ];
  const [ours, theirs] = [rank(symbol), rank(other)];
  const differing = ours.findIndex((value, index) => value !== theirs[index]);
  return differing >= 0 && ours[differing]! < theirs[differing]!;
}
