/**
 * The compact table of a whole section of call frame information: the rows of all functions at once. The host has read where they are,
 * and the CIEs; a function that is spoilt, or has what is not usual, is left to it.
 */
import { COMMON_WORDS, NOT_MADE } from '../../core/binary/unwind/kernel-codes';
import { allocate } from '../memory';
import { beginCommon, Common, isWhole, runFunction } from './instructions';
import { beginRows, forgetRows, rowCount } from './rows';

export { pcs, rowCount, rulesOfRows } from './rows';
export { ruleCount, ruleStarts, setMachine, wordCount, words } from './rules';

const COMMON_BYTES: u32 = 4 * COMMON_WORDS;
/** A length of 4 bytes and the CIE's place in 4: others, of DWARF's 64-bit format, are the host's. */
const HEAD_BYTES: u32 = 8;
const EXTENDED_LENGTH: u32 = 0xffffffff;
/** What is read before it is looked at whether it is there. */
const MOST_AHEAD: u32 = 32;
const NO_COMMON = changetype<Common>(0);

let section: usize = 0;
let sectionBytes: u32 = 0;
let isEhFrame: bool = false;
let commons: usize = 0;
let commonCount: u32 = 0;
/** u32s by function: offset of its FDE, object addresses of its first byte and behind its last. */
export let offsets: usize = 0;
export let starts: usize = 0;
export let ends: usize = 0;
/** u32s by function: its first row, or NOT_MADE, and the row behind its last. */
export let firstRows: usize = 0;
export let endRows: usize = 0;

/** @returns where the host writes the section */
export function placeSection(bytes: u32, isOfEhFrame: u32): usize {
  section = allocate(bytes + MOST_AHEAD);
  sectionBytes = bytes;
  isEhFrame = isOfEhFrame !== 0;
  return section;
}

/** @returns where the host writes the CIEs, in order of offset */
export function placeCommons(count: u32): usize {
  commonCount = count;
  commons = allocate(count * COMMON_BYTES);
  return commons;
}

/** Makes room for the columns of functions. */
export function placeFunctions(count: u32): void {
  offsets = allocate(4 * count);
  starts = allocate(4 * count);
  ends = allocate(4 * count);
  firstRows = allocate(4 * count);
  endRows = allocate(4 * count);
}

/** @param mostRows functions beyond are left to the host */
export function makeRows(count: u32, mostRows: u32): void {
  let last = NO_COMMON;
  let isCommonWhole = false;
  for (let index: u32 = 0; index < count; index++) {
    const first = rowCount;
    store<u32>(firstRows + 4 * index, NOT_MADE);
    const offset = load<u32>(offsets + 4 * index);
    const common = commonOf(offset, last);
    if (common === NO_COMMON) continue;
    if (common !== last) {
      last = common;
      beginCommon(section, common);
      isCommonWhole = isWhole;
    }
    if (!isCommonWhole) continue;
    const end = offset + 4 + load<u32>(section + offset);
    const fields = offset + HEAD_BYTES + 2 * common.pointerBytes;
    beginRows(load<u32>(ends + 4 * index));
    runFunction(section, fields, end, load<u32>(starts + 4 * index));
    if (isWhole && rowCount <= mostRows) {
      store<u32>(firstRows + 4 * index, first);
      store<u32>(endRows + 4 * index, rowCount);
    } else forgetRows();
  }
}

/** @param last the one of the function before @returns NO_COMMON for an entry that is the host's */
function commonOf(offset: u32, last: Common): Common {
  const bytes = load<u32>(section + offset);
  if (bytes === EXTENDED_LENGTH || u64(offset) + 4 + bytes > sectionBytes) return NO_COMMON;
  const id = load<u32>(section + offset, 4);
  const place = isEhFrame ? offset + 4 - id : id;
  const common = last !== NO_COMMON && last.offset === place ? last : findCommon(place);
  if (common === NO_COMMON || common.pointerBytes === 0) return NO_COMMON;
  return (common.pointerBytes << 1) + 4 <= bytes ? common : NO_COMMON;
}

function findCommon(offset: u32): Common {
  let low: u32 = 0;
  let high = commonCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    const common = changetype<Common>(commons + middle * COMMON_BYTES);
    if (common.offset === offset) return common;
    if (common.offset < offset) low = middle + 1;
    else high = middle;
  }
  return NO_COMMON;
}
