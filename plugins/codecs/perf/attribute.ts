/** perf_event_attr: what one event of a recording is, and what its samples hold. Source: Linux include/uapi/linux/perf_event.h */
import { ByteReader, FormatError } from '../../../core/index.js';
import { HEADER_BYTES, SampleField } from './records.js';

export interface EventAttribute {
  /** As perf would be asked for it: "cycles", "cpu-clock:u". */
  readonly name: string;
  /** "nanoseconds" for clocks, else "count". */
  readonly unit: string;
  /** Counts nothing: it carries the records that are no samples. */
  readonly isDummy: boolean;
  /** Bits of SampleField. */
  readonly sampleType: number;
  readonly readFormat: number;
  /** Its samples have the counts of a group's events, with their ids. */
  readonly isGroup: boolean;
  /** Threads that its threads start are counted too, each on its own. */
  readonly isInherited: boolean;
  /** Whether times are of CLOCK_MONOTONIC (`perf record -k mono`). */
  readonly isMonotonic: boolean;
  /** Events between samples; 0 for an event whose frequency was asked for: its samples say their period. */
  readonly fixedPeriod: number;
  /** Bits of the registers that samples hold: low and high 32. */
  readonly registersLow: number;
  readonly registersHigh: number;
  readonly branchSampleType: number;
  readonly places: RecordPlaces;
}

/** Where records have what stands at one place in all of them; −1 where they have none. */
export interface RecordPlaces {
  /** Bytes from the first byte of a sample. */
  readonly ipInSample: number;
  /** Process, then thread. */
  readonly tidInSample: number;
  readonly timeInSample: number;
  readonly idInSample: number;
  readonly cpuInSample: number;
  readonly periodInSample: number;
  /** Behind these: what follows differs from sample to sample. */
  readonly endInSample: number;
  /** Bytes before the end of a record that is no sample. */
  readonly timeBeforeEnd: number;
  readonly idBeforeEnd: number;
}

/** PERF_FORMAT_GROUP and PERF_FORMAT_ID */
const GROUP_WITH_IDS = 8 | 4;
const INHERIT_BIT = 1 << 1;
const USE_CLOCK_BIT = 1 << 25;
const CLOCK_MONOTONIC = 1;
const EXCLUDE_USER_BIT = 1 << 4;
const EXCLUDE_KERNEL_BIT = 1 << 5;
const FREQUENCY_BIT = 1 << 10;
const SAMPLE_ID_ALL_BIT = 1 << 18;
/** PERF_ATTR_SIZE_VER0: what every version has. */
const LEAST_BYTES = 64;
const EventType = { hardware: 0, software: 1 } as const;
const DUMMY = 9;

/** @param bytes from the attribute's first on; its own `size` says how many it has @throws FormatError E_PERF_ATTRIBUTE, E_TRUNCATED, E_RANGE */
export function readAttribute(bytes: Uint8Array): { readonly attribute: EventAttribute; readonly size: number } {
  const section = 'perf_event_attr';
  const reader = new ByteReader(bytes, section);
  const type = reader.u32();
  const size = reader.u32();
  if (size < LEAST_BYTES || size > bytes.length) {
    const place = { section, offset: 4, got: size, limit: bytes.length };
    throw new FormatError('E_PERF_ATTRIBUTE', 'size of an event attribute', place);
  }
  const config = reader.u64();
  const period = reader.size64();
  const sampleType = reader.u32();
  reader.skip(4); // upper half: no bits yet
  const readFormat = reader.u32();
  reader.skip(4);
  const flags = reader.u32();
  const at = (offset: number): number => (size >= offset + 4 ? new ByteReader(bytes, section, offset).u32() : 0);
  const isClock = type === EventType.software && (config === 0n || config === 1n);
  return {
    attribute: {
      name: eventName(type, config) + modifier(flags),
      unit: isClock ? 'nanoseconds' : 'count',
      isDummy: type === EventType.software && config === BigInt(DUMMY),
      sampleType,
      readFormat,
      isGroup: (sampleType & SampleField.read) !== 0 && (readFormat & GROUP_WITH_IDS) === GROUP_WITH_IDS,
      isInherited: (flags & INHERIT_BIT) !== 0,
      isMonotonic: (flags & USE_CLOCK_BIT) !== 0 && at(92) === CLOCK_MONOTONIC,
      fixedPeriod: (flags & FREQUENCY_BIT) === 0 ? period : 0,
      branchSampleType: at(72),
      registersLow: at(80),
      registersHigh: at(84),
      places: placesOf(sampleType, (flags & SAMPLE_ID_ALL_BIT) !== 0),
    },
    size,
  };
}

const HARDWARE = [
  'cycles',
  'instructions',
  'cache-references',
  'cache-misses',
  'branches',
  'branch-misses',
  'bus-cycles',
  'stalled-cycles-frontend',
  'stalled-cycles-backend',
  'ref-cycles',
];
const SOFTWARE = [
  'cpu-clock',
  'task-clock',
  'page-faults',
  'context-switches',
  'cpu-migrations',
  'minor-faults',
  'major-faults',
  'alignment-faults',
  'emulation-faults',
  'dummy',
  'bpf-output',
  'cgroup-switches',
];

/** perf's own names of the common events, for a file that does not say how they were asked for. */
function eventName(type: number, config: bigint): string {
  const names = type === EventType.hardware ? HARDWARE : type === EventType.software ? SOFTWARE : [];
  return names[Number(config & 0xffn)] ?? `event-${type}-0x${config.toString(16)}`;
}

function modifier(flags: number): string {
  const isUserOnly = (flags & EXCLUDE_KERNEL_BIT) !== 0;
  const isKernelOnly = (flags & EXCLUDE_USER_BIT) !== 0;
  return isUserOnly === isKernelOnly ? '' : isUserOnly ? ':u' : ':k';
}

/** Each field is a word; samples begin with theirs, other records end with these: TID TIME ID STREAM_ID CPU IDENTIFIER. */
function placesOf(sampleType: number, isIdEverywhere: boolean): RecordPlaces {
  const { identifier, ip, tid, time, address, id, streamId, cpu, period } = SampleField;
  const words = (...fields: readonly number[]): number =>
    8 * fields.filter((field) => (sampleType & field) !== 0).length;
  const has = (field: number): boolean => (sampleType & field) !== 0;
  const order = [identifier, ip, tid, time, address, id, streamId, cpu, period];
  const placeOf = (field: number): number =>
    has(field) ? HEADER_BYTES + words(...order.slice(0, order.indexOf(field))) : -1;
  const idBefore = has(identifier) ? 8 : has(id) ? words(id, streamId, cpu) : -1;
  return {
    ipInSample: placeOf(ip),
    tidInSample: placeOf(tid),
    timeInSample: placeOf(time),
    idInSample: placeOf(has(identifier) ? identifier : id),
    cpuInSample: placeOf(cpu),
    periodInSample: placeOf(period),
    endInSample: HEADER_BYTES + words(...order),
    timeBeforeEnd: isIdEverywhere && has(time) ? words(time, id, streamId, cpu, identifier) : -1,
    idBeforeEnd: isIdEverywhere ? idBefore : -1,
  };
}
