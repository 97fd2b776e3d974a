/**
 * Functions drawn as assembly, and a Binary that holds them, for tests of what reads machine code. A line is
 *
 *     name:              a label, here and in what the test asks for
 *     jae panic          a branch to a label, or a call of another function by name
 *     4839c8             the bytes of an instruction, in hex
 */
import type { Binary } from '../../core/binary/binary.js';
import { noFrameSections } from '../../core/formats/cfi/section.js';
import type { GoTable } from '../../core/formats/gopclntab/table.js';
import { noDebugSections } from './binaries.js';

export interface DrawnFunction {
  readonly name: string;
  readonly file?: string;
  readonly code: string;
  /** Value of PCDATA_PanicBounds for the whole function. */
  readonly panicBounds?: number;
}

export interface DrawnBinary {
  readonly binary: Binary;
  /** Object address of a label of a function. */
  at(functionIndex: number, label: string): number;
}

const TEXT = 0x1000;
const ALIGNMENT = 64;

const x86Branches: { readonly [mnemonic: string]: readonly number[] } = {
  jmp: [0xe9],
  call: [0xe8],
  jb: [0x0f, 0x82],
  jae: [0x0f, 0x83],
  je: [0x0f, 0x84],
  jbe: [0x0f, 0x86],
  ja: [0x0f, 0x87],
  jl: [0x0f, 0x8c],
  jge: [0x0f, 0x8d],
};

/** Opcode with an empty target, and where the target (in words) goes. */
const arm64Branches: {
  readonly [mnemonic: string]: { readonly word: number; readonly bits: number; readonly at: number };
} = {
  b: { word: 0x14000000, bits: 26, at: 0 },
  bl: { word: 0x94000000, bits: 26, at: 0 },
  'b.hs': { word: 0x54000002, bits: 19, at: 5 },
  'b.lo': { word: 0x54000003, bits: 19, at: 5 },
  'b.ls': { word: 0x54000009, bits: 19, at: 5 },
  'b.ge': { word: 0x5400000a, bits: 19, at: 5 },
  'cbz:x1': { word: 0xb4000001, bits: 19, at: 5 },
  'cbnz:x1': { word: 0xb5000001, bits: 19, at: 5 },
  'tbz:x1#3': { word: 0x36180001, bits: 14, at: 5 },
};

export function drawnBinary(architecture: 'amd64' | 'arm64', functions: readonly DrawnFunction[]): DrawnBinary {
  const encode = architecture === 'amd64' ? encodeX86 : encodeArm64;
  const labels: Map<string, number>[] = [];
  const entries = new Map<string, number>();
  const ends: number[] = [];
  let address = TEXT;
  for (const { name, code } of functions) {
    const own = new Map<string, number>();
    entries.set(name, address);
    for (const line of linesOf(code)) {
      if (line.endsWith(':')) own.set(line.slice(0, -1), address);
      else address += encode(line, address, () => address).length;
    }
    labels.push(own);
    ends.push(address);
    address = Math.ceil(address / ALIGNMENT) * ALIGNMENT;
  }
  const bytes = new Uint8Array(address - TEXT);
  functions.forEach(({ name, code }, index) => {
    let at = entries.get(name)!;
    for (const line of linesOf(code).filter((line) => !line.endsWith(':'))) {
      const encoded = encode(line, at, (label) => labels[index]!.get(label) ?? entries.get(label)!);
      bytes.set(encoded, at - TEXT);
      at += encoded.length;
    }
  });
  const starts = [...entries.values()];
  return {
    binary: binaryOf(architecture, bytes, tableOf(functions, starts, ends)),
    at: (functionIndex, label) => labels[functionIndex]!.get(label)!,
  };
}

const linesOf = (code: string): string[] =>
  code
    .split('\n')
    .map((line) => line.replace(/#\s.*/, '').trim())
    .filter((line) => line !== '');

function encodeX86(line: string, address: number, resolve: (label: string) => number): Uint8Array {
  const [mnemonic = '', label = ''] = line.split(/\s+/);
  const opcode = x86Branches[mnemonic];
  if (opcode === undefined) return Uint8Array.from(Buffer.from(line.replaceAll(' ', ''), 'hex'));
  const encoded = new Uint8Array(opcode.length + 4);
  encoded.set(opcode);
  new DataView(encoded.buffer).setInt32(opcode.length, resolve(label) - address - encoded.length, true);
  return encoded;
}

function encodeArm64(line: string, address: number, resolve: (label: string) => number): Uint8Array {
  const [mnemonic = '', label = ''] = line.split(/\s+/);
  const branch = arm64Branches[mnemonic];
  const encoded = new Uint8Array(4);
  const word =
    branch === undefined
      ? Number.parseInt(line, 16)
      : branch.word | ((((resolve(label) - address) / 4) & (2 ** branch.bits - 1)) << branch.at);
  new DataView(encoded.buffer).setUint32(0, word >>> 0, true);
  return encoded;
}

function tableOf(functions: readonly DrawnFunction[], starts: readonly number[], ends: readonly number[]): GoTable {
  const find = (pc: number): number =>
    starts.findLastIndex((start, i) => pc >= start && pc < (starts[i + 1] ?? ends[i]!));
  return {
    layout: '1.20',
    hasInlinedCalls: true,
    length: functions.length,
    textStart: starts[0]!,
    textEnd: ends.at(-1)!,
    find,
    entry: (index) => starts[index]!,
    end: (index) => ends[index]!,
    name: (index) => functions[index]!.name,
    startLine: () => 1,
    frames(pc) {
      const index = find(pc);
      if (index < 0 || pc >= ends[index]!) return [];
      const { name, file = 'main.go' } = functions[index]!;
      return [{ function: name, file, line: 10 + index, startLine: 1, inlined: false }];
    },
    pcdata: (index, table) => (table === 4 ? (functions[index]!.panicBounds ?? -1) : -1),
    flags: () => 0,
    stackDelta: () => undefined,
    stackDeltas: () => undefined,
    stackExtent: () => undefined,
    frameRows: () => undefined,
    heldBytes: 0,
  };
}

function binaryOf(architecture: 'amd64' | 'arm64', bytes: Uint8Array, go: GoTable): Binary {
  return {
    path: '/bin/drawn',
    format: 'elf',
    architecture,
    imageBase: 0x400000n,
    entry: 0n,
    isPositionIndependent: false,
    gnuBuildId: undefined,
    goBuildId: undefined,
    segments: [
      { objectAddress: TEXT, memoryBytes: bytes.length, fileOffset: TEXT, fileBytes: bytes.length, executable: true },
    ],
    bytesAt(objectAddress, length) {
      const start = objectAddress - TEXT;
      return start < 0 ? new Uint8Array(0) : bytes.subarray(start, start + length);
    },
    go,
    dwarf: undefined,
    debug: noDebugSections,
    symbolTables: [],
    refusals: [],
    frames: noFrameSections,
    heldBytes: 0,
    release: () => {},
  };
}
