/** What the samples of each event hold: the host writes it. */
import { EVENT_WORDS, NO_ROW, REGISTERS_WORD } from '../../plugins/codecs/perf/kernel-codes';
import { allocate, release } from '../memory';
import { addKeyed, findKeyed, forgetKeyed, KEYED_BYTES, Keyed } from './keyed';

/** Places are in bytes from the first one of a sample; −1: samples have none. */
@unmanaged
export class Event {
  /** Of samples without a period of their own. */
  period: u64;
  ipPlace: i32;
  /** Process, then thread. */
  tidPlace: i32;
  timePlace: i32;
  cpuPlace: i32;
  periodPlace: i32;
  /** Behind these: what follows differs from sample to sample. */
  endPlace: i32;
  /** Bits as perf_event_attr has them. */
  sampleType: u32;
  readFormat: u32;
  branchSampleType: u32;
  /** Words of registers in a sample. */
  registerWords: u32;
  isGroup: u32;
  /** Sample type of its periods; −1: it is not wanted. */
  column: i32;
  /** Registers by DWARF number, the pc last; 0 for a machine whose registers are not known. */
  registerCount: u32;
  /** The register that holds a return address with a signature; −1: none does. */
  signedRegister: i32;
}

const EVENT_BYTES: u32 = 4 * EVENT_WORDS;
const WORD_BYTES: u32 = 8;

let events: usize = 0;
let count: u32 = 0;
/** Of the id in a sample; −1: samples have none. */
let idPlace: i32 = -1;
const rowsOfIds = changetype<Keyed>(memory.data(KEYED_BYTES, 8));

/** @returns where the host writes that many events. @param place where samples have their ids */
export function placeEvents(number: u32, place: i32): usize {
  forgetKeyed(rowsOfIds);
  if (events !== 0) release(events, count * EVENT_BYTES);
  events = allocate(number * EVENT_BYTES);
  count = number;
  idPlace = place;
  return events;
}

/** @param id that no event has yet */
export function addEventId(id: f64, row: u32): void {
  addKeyed(rowsOfIds, reinterpret<u64>(id), 0, row);
}

export function eventAt(row: u32): Event {
  return changetype<Event>(events + row * EVENT_BYTES);
}

/** @returns DWARF number of the register in a word of the samples' registers; −1 for those without */
export function registerOfWord(event: Event, word: u32): i32 {
  return load<i32>(changetype<usize>(event) + 4 * (REGISTERS_WORD + word));
}

/** @returns NO_ROW for a sample whose id no event has */
export function eventOfSample(start: usize, size: u32): u32 {
  if (count === 1) return 0;
  if (idPlace < i32(WORD_BYTES) || u32(idPlace) + WORD_BYTES > size) return NO_ROW;
  return findKeyed(rowsOfIds, reinterpret<u64>(f64(load<u64>(start + idPlace))), 0);
}
