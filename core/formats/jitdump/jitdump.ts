/**
 * jitdump version 1: code that a program made while it ran, as V8 (`node --perf-prof`), the JVM's agent of perf and others write it into
 * `jit-PID.dump`: each function's name, bytes, place and time, and where its lines (jit-lines.ts) and its call frame information are.
 * Source: Linux tools/perf/Documentation/jitdump-specification.txt, tools/perf/util/genelf.c.
 */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';

/** Bytes of the dump. */
export interface DumpRange {
  readonly fileOffset: number;
  readonly size: number;
}

/** Entries of lines, for `readJitLines`. */
export interface JitLineRange extends DumpRange {
  readonly count: bigint;
}

export interface JitCode extends DumpRange {
  readonly name: string;
  /** Where it was made. */
  readonly address: bigint;
  readonly lines: JitLineRange | undefined;
  /** An .eh_frame that counts addresses as if it stood behind the code, at the next multiple of 8. */
  readonly ehFrame: DumpRange | undefined;
}

/** A function's code comes to a place: it was made there, or moved there. */
export interface JitPlacement {
  /** Of CLOCK_MONOTONIC, in nanoseconds, unless the dump's clock is the processor's. */
  readonly time: number;
  readonly pid: number;
  readonly address: number;
  readonly code: JitCode;
}

export interface JitDump {
  /** ELF's number of the machine. */
  readonly machine: number;
  /** Whether times are the processor's own counter, which no other clock can be compared with. */
  readonly hasProcessorTime: boolean;
  /** In order of their bytes. */
  readonly codes: readonly JitCode[];
  /** Bytes by which all lines are said to be behind their code. */
  readonly lineShift: number;
  /** In the order of the dump: that of time. */
  readonly placements: readonly JitPlacement[];
  /** Whether it ends within a record: the program was still writing, or was killed. */
  readonly isCut: boolean;
}

const section = 'jitdump';
const MAGIC = [0x44, 0x54, 0x69, 0x4a] as const;
const SWAPPED_MAGIC = [...MAGIC].reverse();
const VERSION = 1;
const HEADER_BYTES = 40;
const PROCESSOR_TIME = 1n;
const RecordType = { load: 0, move: 1, lines: 2, unwinding: 4 } as const;
/** Type, size, time. */
const RECORD_HEAD_BYTES = 16;
/** The numbers of records behind their heads. */
const LOAD_BYTES = 40;
const MOVE_BYTES = 48;
const LINES_BYTES = 16;
const UNWINDING_BYTES = 24;
/** V8's own mark. Its lines are none: names of files are gone when they are written, and those of baseline code are places in bytecode. */
const V8_PADDING = 0xdeadbeef;
/**
 * V8 and LLVM add the head of the ELF file that `perf inject` makes, since that once forgot it; others do not. A heuristic: of all functions
 * of a dump that add nothing, one has a line before that.
 */
const ELF_HEAD_BYTES = 0x40;
/** Beyond, no user has memory. */
const MAX_ADDRESS = 2n ** 53n;

const utf8 = new TextDecoder();

export const isJitdump = (head: Uint8Array): boolean => begins(head, MAGIC) || begins(head, SWAPPED_MAGIC);

const begins = (head: Uint8Array, magic: readonly number[]): boolean => magic.every((byte, at) => head[at] === byte);

/** @throws FormatError E_JITDUMP, E_JITDUMP_BYTE_ORDER, E_JITDUMP_VERSION, E_TRUNCATED, E_LIMIT */
export function readJitdump(source: ByteSource, budget: Budget): JitDump {
  const header = new ByteReader(source.read(0, Math.min(HEADER_BYTES, source.size), section), section);
  const magic = header.take(4);
  if (begins(magic, SWAPPED_MAGIC)) {
    throw new FormatError('E_JITDUMP_BYTE_ORDER', 'only little-endian dumps are read', { section, offset: 0 });
  }
  if (!begins(magic, MAGIC)) throw new FormatError('E_JITDUMP', 'no jitdump', { section, offset: 0 });
  const version = header.u32();
  if (version !== VERSION) {
    throw new FormatError('E_JITDUMP_VERSION', 'version', { section, offset: 4, got: version, limit: VERSION });
  }
  const headerBytes = header.u32();
  const machine = header.u32();
  const hasLines = header.u32() !== V8_PADDING;
  header.skip(12); // pid (each load has one), time
  const flags = header.u64();
  if (headerBytes < HEADER_BYTES) {
    throw new FormatError('E_JITDUMP', 'size of the header', { section, offset: 8, got: headerBytes });
  }
  const reading = new Reading(source, budget, hasLines);
  const isCut = reading.run(headerBytes);
  const { codes, placements, lineShift } = reading;
  return { machine, hasProcessorTime: (flags & PROCESSOR_TIME) !== 0n, codes, lineShift, placements, isCut };
}

class Reading {
  readonly codes: JitCode[] = [];
  readonly placements: JitPlacement[] = [];
  readonly #source: ByteSource;
  readonly #budget: Budget;
  readonly #hasLines: boolean;
  /** By the number that the program gave it. */
  readonly #codeOfNumber = new Map<bigint, JitCode>();
  /** Of the code that comes next. */
  #lines: (JitLineRange & { readonly address: bigint }) | undefined;
  #ehFrame: DumpRange | undefined;
  /** Of all first lines. */
  #leastLine: bigint | undefined;

  constructor(source: ByteSource, budget: Budget, hasLines: boolean) {
    this.#source = source;
    this.#budget = budget;
    this.#hasLines = hasLines;
  }

  get lineShift(): number {
    return this.#leastLine !== undefined && this.#leastLine >= ELF_HEAD_BYTES ? ELF_HEAD_BYTES : 0;
  }

  /** @returns whether it ends within a record */
  run(firstRecord: number): boolean {
    const { size } = this.#source;
    let at = firstRecord;
    while (at < size) {
      if (size - at < RECORD_HEAD_BYTES) return true;
      const head = new ByteReader(this.#source.read(at, RECORD_HEAD_BYTES, section), section);
      const type = head.u32();
      const bytes = head.u32();
      const time = Number(head.u64());
      if (bytes < RECORD_HEAD_BYTES) {
        const place = { section, offset: at, got: bytes, limit: RECORD_HEAD_BYTES };
        throw new FormatError('E_JITDUMP', 'record smaller than its head', place);
      }
      if (bytes > size - at) return true;
      if (type === RecordType.load) this.#load(at, bytes, time);
      else if (type === RecordType.move) this.#move(at, bytes, time);
      else if (type === RecordType.lines && this.#hasLines) this.#noteLines(at, bytes);
      else if (type === RecordType.unwinding) this.#noteUnwinding(at, bytes);
      at += bytes;
    }
    return at > size;
  }

  #load(start: number, bytes: number, time: number): void {
    const body = this.#numbers(start, bytes, LOAD_BYTES);
    const pid = body.u32();
    body.skip(12); // thread, address in the file that perf would make
    const address = body.u64();
    const size = body.size64();
    const number = body.u64();
    const nameBytes = bytes - RECORD_HEAD_BYTES - LOAD_BYTES - size;
    if (nameBytes < 1) {
      const place = { section, offset: start, got: size, limit: bytes };
      throw new FormatError('E_JITDUMP', 'code larger than its record', place);
    }
    this.#budget.check('stringBytes', nameBytes, { section, offset: start });
    const name = this.#source.read(start + RECORD_HEAD_BYTES + LOAD_BYTES, nameBytes, section);
    const end = name.indexOf(0);
    const code = {
      name: utf8.decode(end < 0 ? name : name.subarray(0, end)),
      address,
      fileOffset: start + bytes - size,
      size,
      lines: this.#lines?.address === address ? this.#lines : undefined,
      ehFrame: this.#ehFrame,
    };
    this.#lines = undefined;
    this.#ehFrame = undefined;
    if (size === 0) return;
    this.codes.push(code);
    this.#codeOfNumber.set(number, code);
    this.#place({ time, pid, code }, address, start);
  }

  /** Of code that is not known there is nothing to say. */
  #move(start: number, bytes: number, time: number): void {
    const body = this.#numbers(start, bytes, MOVE_BYTES);
    const pid = body.u32();
    body.skip(20); // thread, address in the file that perf would make, address before
    const address = body.u64();
    body.skip(8); // size: that of the code
    const code = this.#codeOfNumber.get(body.u64());
    if (code !== undefined) this.#place({ time, pid, code }, address, start);
  }

  #noteLines(start: number, bytes: number): void {
    const size = bytes - RECORD_HEAD_BYTES - LINES_BYTES;
    const body = this.#numbers(start, bytes, LINES_BYTES + 8);
    const address = body.u64();
    const count = body.u64();
    if (count === 0n) return;
    const least = body.u64() - address;
    if (this.#leastLine === undefined || least < this.#leastLine) this.#leastLine = least;
    this.#lines = { address, count, fileOffset: start + RECORD_HEAD_BYTES + LINES_BYTES, size };
  }

  /** Its .eh_frame stands before the .eh_frame_hdr, which says nothing more. */
  #noteUnwinding(start: number, bytes: number): void {
    const body = this.#numbers(start, bytes, UNWINDING_BYTES);
    const size = body.size64();
    const headerSize = body.size64();
    const room = bytes - RECORD_HEAD_BYTES - UNWINDING_BYTES;
    if (size > room || headerSize > size) {
      const place = { section, offset: start, got: Math.max(size, headerSize), limit: Math.min(size, room) };
      throw new FormatError('E_JITDUMP', 'unwinding information larger than its record', place);
    }
    const isEmpty = headerSize === size;
    const fileOffset = start + RECORD_HEAD_BYTES + UNWINDING_BYTES;
    this.#ehFrame = isEmpty ? undefined : { fileOffset, size: size - headerSize };
  }

  #numbers(start: number, bytes: number, wanted: number): ByteReader {
    const length = Math.min(wanted, bytes - RECORD_HEAD_BYTES);
    return new ByteReader(this.#source.read(start + RECORD_HEAD_BYTES, length, section), section);
  }

  #place(placement: Omit<JitPlacement, 'address'>, address: bigint, start: number): void {
    this.#budget.spend('tableRows', 1, { section, offset: start });
    if (address + BigInt(placement.code.size) >= MAX_ADDRESS) {
      throw new FormatError('E_JITDUMP', 'code at no address of a user', { section, offset: start, got: address });
    }
    this.placements.push({ ...placement, address: Number(address) });
  }
}
