/** A profile of any size, written as it is made: a service's CPU profile with 14 to 26 frames a stack, samples before what they refer to. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { block, int } from './assemble-pprof.js';

const LOCATIONS = 20_000;
const FUNCTIONS = 6_000;
/** Each frame calls one of so many others. */
const CALLEES = 3;
const PIECE_BYTES = 2 ** 20;
/** More than a sample has. */
const SAMPLE_BYTES = 256;

export interface LargeProfile {
  readonly samples: number;
  /** Distinct ones; that of a sample is by chance. */
  readonly stacks: number;
  /** Bytes behind everything. */
  readonly end?: Uint8Array;
}

/** @returns bytes of the file */
export function writeLargeProfile(path: string, { samples, stacks, end = new Uint8Array(0) }: LargeProfile): number {
  const file = openSync(path, 'w');
  let size = 0;
  const write = (bytes: Uint8Array) => {
    size += writeSync(file, bytes);
  };
  try {
    write(Buffer.concat([block(1, int(1, 1), int(2, 2)), block(1, int(1, 3), int(2, 4))]));
    const piece = Buffer.alloc(PIECE_BYTES);
    let length = 0;
    let random = 12_345;
    for (let sample = 0; sample < samples; sample++) {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      length = writeSample(piece, length, Math.floor((random / 2 ** 32) * stacks), 1 + (random & 3));
      if (length + SAMPLE_BYTES > PIECE_BYTES) {
        write(piece.subarray(0, length));
        length = 0;
      }
    }
    write(piece.subarray(0, length));
    write(tables());
    write(end);
  } finally {
    closeSync(file);
  }
  return size;
}

/** @returns where it ends */
function writeSample(to: Buffer, start: number, stack: number, count: number): number {
  const ids = pathOf(stack);
  const values = [count, count * 10_000_000];
  const idBytes = ids.reduce((sum, id) => sum + varintBytes(id), 0);
  const valueBytes = values.reduce((sum, value) => sum + varintBytes(value), 0);
  let at = start;
  to[at++] = 0x12;
  at = writeVarint(to, at, 4 + idBytes + valueBytes);
  to[at++] = 0x0a;
  to[at++] = idBytes;
  for (const id of ids) at = writeVarint(to, at, id);
  to[at++] = 0x12;
  to[at++] = valueBytes;
  for (const value of values) at = writeVarint(to, at, value);
  return at;
}

/** Location ids of a path in a tree of calls, leaf first. */
function pathOf(stack: number): number[] {
  const ids: number[] = [];
  let place = 7;
  for (let rest = stack, depth = 14 + (stack % 13); ids.length < depth; rest = Math.floor(rest / CALLEES)) {
    place = (Math.imul(place ^ ((rest % CALLEES) + 1), 0x9e3779b1) ^ (place >>> 15)) >>> 0;
    ids.push(1 + (place % LOCATIONS));
  }
  return ids.reverse();
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

function writeVarint(to: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) to[at++] = (rest % 128) | 128;
  to[at++] = rest;
  return at;
}

function tables(): Buffer {
  const strings = ['', 'samples', 'count', 'cpu', 'nanoseconds', '/usr/bin/service', 'f00dcafe'];
  const parts = [block(3, int(1, 1), int(2, 0x400000), int(3, 0x4000000), int(5, 5), int(6, 6))];
  for (let row = 0; row < LOCATIONS; row++) {
    const line = block(4, int(1, 1 + (row % FUNCTIONS)), int(2, 1 + (row % 800)));
    parts.push(block(4, int(1, row + 1), int(2, 1), int(3, 0x401000 + row * 37), line));
  }
  for (let row = 0; row < FUNCTIONS; row++) {
    const name = strings.push(`example.org/service/internal/package${row % 97}.(*Type${row % 331}).method${row}`) - 1;
    const file = strings.push(`/src/service/internal/package${row % 97}/file${row % 700}.go`) - 1;
    parts.push(block(5, int(1, row + 1), int(2, name), int(3, name), int(4, file)));
  }
  parts.push(...strings.map((text) => block(6, text)));
  parts.push(int(9, 1_700_000_000_000_000_000n), int(10, 60_000_000_000n));
  parts.push(block(11, int(1, 3), int(2, 4)), int(12, 10_000_000));
  return Buffer.concat(parts);
}
