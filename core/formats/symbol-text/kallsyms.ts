/**
 * Symbols of a Linux kernel and its modules, as /proc/kallsyms lists them: `ffffffff81000000 T name`, or with `\t[module]` behind. Sizes are not
 * given: a function ends at the next symbol of any kind. Source: the kernel's Documentation of proc, and nm(1) for the types.
 */
import { FormatError } from '../errors.js';
import { Budget, type Limits } from '../limits.js';
import { KernelNames, type KernelSymbol } from './kernel-names.js';
import { spoiltLine } from './lines.js';

const LINE = /^([0-9a-f]{1,16}) ([a-z]) ([^\s]+)(\s+\[[^\]]*\])?\s*$/i;
const LINE_FEED = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
/** Absolute ones and offsets of variables of a processor: no addresses. */
const NO_ADDRESS: ReadonlySet<number> = new Set([0x41, 0x61]);
/** By character: its value as a hexadecimal digit; 255 for others. */
const DIGIT = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

const latin1 = new TextDecoder('latin1');

/**
 * @param bytes stay in use: names are read when they are found
 * @throws FormatError for a line of another form; for a list whose addresses the kernel has hidden
 */
export function readKallsyms(bytes: Uint8Array, limits: Partial<Limits> = {}): KernelNames {
  const budget = new Budget(limits);
  const names = new KernelNames(bytes);
  const line = new Line();
  let hasAddress = false;
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    number++;
    checkLine(budget, end - start, number);
    if (line.readPlain(bytes, start, end) || line.read(bytes, start, end)) {
      hasAddress ||= line.high !== 0 || line.low !== 0;
      if (!NO_ADDRESS.has(line.type)) names.add(line);
    } else if (found >= 0 && latin1.decode(bytes.subarray(start, end)).trim() !== '') {
      throw spoiltLine('E_KALLSYMS', 'a line "ADDRESS TYPE NAME"', latin1.decode(bytes.subarray(start, end)), number);
    }
    start = end + 1;
  }
  if (names.symbolCount > 0 && !hasAddress) {
    throw new FormatError('E_KALLSYMS_HIDDEN', 'all addresses are 0: the kernel hides them (kernel.kptr_restrict)');
  }
  names.finish();
  return names;
}

function checkLine(budget: Budget, length: number, number: number): void {
  const { stringBytes, tableRows } = budget.limits;
  if (length <= stringBytes && number <= tableRows) return;
  const place = { section: `line ${number}` };
  budget.check('stringBytes', length, place);
  budget.check('tableRows', number, place);
}

/** The line at hand: a list has 100,000 and more, so nothing is made for each. */
class Line implements KernelSymbol {
  high = 0;
  low = 0;
  type = 0;
  nameStart = 0;
  nameEnd = 0;
  isOfModule = false;

  /** As the kernel writes them. @returns false for any other */
  readPlain(bytes: Uint8Array, start: number, end: number): boolean {
    let at = start;
    let high = 0;
    let low = 0;
    for (let digit = 0; at < end; at++) {
      digit = DIGIT[bytes[at]!]!;
      if (digit === 255) break;
      high = (high << 4) | (low >>> 28);
      low = (low << 4) | digit;
    }
    const digits = at - start;
    if (digits === 0 || digits > 16 || at + 3 >= end || bytes[at] !== SPACE || bytes[at + 2] !== SPACE) return false;
    const type = bytes[at + 1]!;
    if (!isLetter(type)) return false;
    const nameStart = at + 3;
    let nameEnd = nameStart;
    while (nameEnd < end && bytes[nameEnd]! > SPACE) nameEnd++;
    if (nameEnd === nameStart || (nameEnd < end && bytes[nameEnd] !== TAB)) return false;
    const isOfModule = nameEnd < end;
    if (isOfModule && (bytes[nameEnd + 1] !== 0x5b || bytes.indexOf(0x5d, nameEnd) !== end - 1)) return false;
    this.#set(high, low, type, nameStart, nameEnd, isOfModule);
    return true;
  }

  /** As people may have written them. @returns false for what is no such line */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    const match = LINE.exec(latin1.decode(bytes.subarray(start, end)));
    if (match === null) return false;
    const [, digits, type, name, module] = match as unknown as [string, string, string, string, string | undefined];
    const nameStart = start + digits.length + 3;
    const high = Number.parseInt(digits.slice(0, -8) || '0', 16);
    const low = Number.parseInt(digits.slice(-8), 16);
    this.#set(high, low, type.charCodeAt(0), nameStart, nameStart + name.length, module !== undefined);
    return true;
  }

  #set(high: number, low: number, type: number, nameStart: number, nameEnd: number, isOfModule: boolean): void {
    this.high = high >>> 0;
    this.low = low >>> 0;
    this.type = type;
    this.nameStart = nameStart;
    this.nameEnd = nameEnd;
    this.isOfModule = isOfModule;
  }
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
