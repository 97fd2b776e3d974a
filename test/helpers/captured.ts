/** Captures of stacks that are written down word by word, and what `unwind` makes of them. */
import {
  type Binary,
  type BinaryStore,
  type CaptureTable,
  type GoTable,
  type MappedBinary,
  type Profile,
  ProfileBuilder,
  registersPerSample,
  stringAt,
} from '../../core/index.js';
import { TableCache } from '../../plugins/stages/unwind/binary-tables.js';
import { type Unwound, unwind } from '../../plugins/stages/unwind/unwind.js';

/** Where the drawn binary's object address 0 is, and where the captured stack begins. */
export const BASE = 0x5555_0000_0000;
export const STACK = 0x7ffe_0000_0000;
/** Code without a file, and code whose file is gone: each 64 KiB. */
export const ANONYMOUS = 0x7f00_0000_0000;
export const GONE = 0x7f11_0000_0000;
const MAPPED_BYTES = 0x10000;
const WORD_BYTES = 8;

const files = [
  { at: BASE, filename: '/bin/app' },
  { at: ANONYMOUS, filename: '//anon' },
  { at: GONE, filename: '/lib/gone.so' },
];

export interface Captured {
  readonly architecture?: CaptureTable['architecture'];
  readonly pc: number;
  /** By DWARF number; the stack pointer is `STACK` unless given. */
  readonly registers?: { readonly [number: number]: number };
  /** Words from the stack pointer up. */
  readonly stack: readonly (number | bigint)[];
}

const stackPointer = { amd64: 7, arm64: 31 };

/** A profile of one sample per capture: its leaf is its pc. */
export function capturedProfile(captures: readonly Captured[]): Profile {
  const architecture = captures[0]?.architecture ?? 'amd64';
  const width = registersPerSample[architecture];
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit: 'count' }] });
  for (const { at, filename } of files) {
    builder.addMapping({ memoryStart: BigInt(at), memoryLimit: BigInt(at + MAPPED_BYTES), filename });
  }
  const registers = new Float64Array(captures.length * width).fill(Number.NaN);
  const stacks: Uint8Array[] = [];
  for (const [sample, { pc, registers: given = {}, stack }] of captures.entries()) {
    const mapping = files.findIndex(({ at }) => pc >= at && pc < at + MAPPED_BYTES);
    const row = builder.addLocation({ address: BigInt(pc), ...(mapping < 0 ? {} : { mapping }) });
    builder.addSample({ stack: [row], values: [1] });
    registers[sample * width + stackPointer[architecture]] = STACK;
    for (const [number, value] of Object.entries(given)) registers[sample * width + Number(number)] = value;
    registers[sample * width + width - 1] = pc;
    const words = new Uint8Array(stack.length * WORD_BYTES);
    for (const [at, word] of stack.entries())
      new DataView(words.buffer).setBigUint64(at * WORD_BYTES, BigInt(word), true);
    stacks.push(words);
  }
  const ordered = [...files.entries()].sort(([, a], [, b]) => a.at - b.at);
  const space = {
    starts: Float64Array.from(ordered, ([, { at }]) => at),
    ends: Float64Array.from(ordered, ([, { at }]) => at + MAPPED_BYTES),
    mapping: Uint32Array.from(ordered, ([row]) => row),
  };
  const profile = builder.finish();
  const table: CaptureTable = {
    architecture,
    space: new Uint32Array(captures.length),
    spaces: [space],
    registers,
    stacks,
  };
  return { ...profile, samples: { ...profile.samples, captures: table } };
}

/** The binary for `/bin/app`; the other files have none. */
export function storeOf(binary: Binary): BinaryStore {
  return {
    add() {},
    search() {},
    fetchMissing: async () => [],
    forMapping: (profile, row): MappedBinary =>
      row === 0
        ? { binary, toObjectAddress: (address) => Number(address) - BASE }
        : {
            binary: undefined,
            reason: 'no_binary',
            message: `${stringAt(profile.strings, profile.mappings.filename[row]!)}: not found`,
          },
    stats: { opened: 0, evicted: 0, bytes: 0 },
    close() {},
  };
}

export interface Walked extends Unwound {
  /** One line a sample: addresses from the leaf to the root, of the app relative to `BASE`, then how it ended. */
  readonly lines: readonly string[];
}

export function walk(
  binary: Binary,
  captures: readonly Captured[],
  options: { depth?: number; truncated?: boolean; audit?: boolean } = {},
): Walked {
  const unwound = unwind(capturedProfile(captures), storeOf(binary), new TableCache(), {
    depth: options.depth ?? 64,
    truncated: options.truncated ?? false,
    audit: options.audit ?? false,
  });
  const { samples, locations } = unwound.profile;
  const lines = captures.map((_, sample) => {
    const rows = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!);
    const frames = Array.from(rows, (row) => place(Number(locations.address[row]!)));
    return `${frames.join(' < ')}: ${unwound.endings[sample]}`;
  });
  return { ...unwound, lines };
}

function place(address: number): string {
  if (address >= BASE && address < BASE + MAPPED_BYTES) return (address - BASE).toString(16);
  for (const { at, filename } of files)
    if (address >= at && address < at + MAPPED_BYTES) return `${filename}+${(address - at).toString(16)}`;
  return address === 0 ? '[no address]' : `0x${address.toString(16)}`;
}

export interface GoFunctionSpec {
  readonly name: string;
  readonly entry: number;
  readonly end: number;
  readonly flags?: number;
  /** pcsp: bytes from the entry up to which a delta holds, and the delta. */
  readonly deltas: readonly (readonly [end: number, delta: number])[];
}

/** A table of Go functions, in order of address. */
export function goTableOf(functions: readonly GoFunctionSpec[]): GoTable {
  const find = (pc: number) => functions.findIndex(({ entry, end }) => pc >= entry && pc < end);
  const stackDeltas = (index: number) => {
    const { deltas } = functions[index]!;
    return { ends: Uint32Array.from(deltas, ([end]) => end), deltas: Int32Array.from(deltas, ([, delta]) => delta) };
  };
  return {
    layout: '1.20',
    hasInlinedCalls: true,
    length: functions.length,
    textStart: functions[0]!.entry,
    textEnd: functions.at(-1)!.end,
    find,
    entry: (index) => functions[index]!.entry,
    end: (index) => functions[index]!.end,
    name: (index) => functions[index]!.name,
    startLine: () => 0,
    flags: (index) => functions[index]!.flags ?? 0,
    frames: () => [],
    frameRows: () => undefined,
    pcdata: () => -1,
    stackDelta: () => undefined,
    stackDeltas,
    stackExtent: () => undefined,
    heldBytes: 0,
  };
}
