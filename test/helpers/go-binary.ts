/**
 * Assembles ELF files with a Go function table in each of its layouts: for tests that must know every byte, and that must run
 * without Go. The agreement with what Go's linker writes is the live tests' business.
 */
import type { GoLayout } from '../../core/formats/gopclntab/table.js';
import { ByteWriter } from './bytes.js';
import { buildEarlyTable, type EarlyVersion } from './early-go-table.js';
import { buildNote, flags, layOutElf } from './elf.js';
import { encodeRanges, QUANTUM, type Ranges } from './pc-ranges.js';

export interface FunctionSpec {
  readonly name: string;
  readonly file?: string;
  readonly startLine?: number;
  /** Lines of the code; their sum is the function's size. */
  readonly lines: Ranges;
  readonly stackDeltas?: Ranges;
  /** pcdata tables by number; 2 is the row of the inline tree. */
  readonly pcdata?: { readonly [table: number]: Ranges };
  readonly inlineTree?: readonly { readonly name: string; readonly parentPc: number; readonly startLine?: number }[];
  /** Bytes behind the code, before the next function. */
  readonly padding?: number;
  readonly code?: Uint8Array;
}

export interface GoBinarySpec {
  readonly functions: readonly FunctionSpec[];
  /**
   * '1.26': the layout of 1.20 without textStart, gofunc inside the table, as Go writes since 1.26. '1.13': that of 1.12, with other
   * places of the inline tree.
   */
  readonly layout?: GoLayout | '1.13' | '1.26';
  /** ELF's e_machine; default: amd64. The tables are the same, but for the quantum. */
  readonly machine?: number;
  /** Of the table's header and moduledata, before 1.18 of all addresses: 4 as for 386 and arm; default: 8. */
  readonly pointerBytes?: 4 | 8;
  readonly positionIndependent?: boolean;
  /** Leaves the section table out. */
  readonly withoutSections?: boolean;
  /** Names of the sections that hold the code, the table and moduledata; default: as Go's linker names them. */
  readonly sectionNames?: readonly [code: string, table: string, moduledata: string];
  readonly withoutModuledata?: boolean;
  readonly gnuBuildId?: string;
  readonly goBuildId?: string;
  /** Word of gofunc in moduledata; default: where Go has it. */
  readonly gofuncWord?: number;
  /** Changes the table before it is put into the file. */
  readonly spoil?: (table: Uint8Array) => void;
}

export interface GoBinary {
  readonly bytes: Uint8Array;
  /** Virtual addresses. */
  readonly textStart: bigint;
  readonly entries: readonly bigint[];
  /** Where the function table and moduledata are in the file: [start, end). */
  readonly table: readonly [start: number, end: number];
  readonly moduledata: readonly [start: number, end: number];
}

/** C code and the like before runtime.text. */
const BEFORE_TEXT = 0x100;

export function buildGoBinary(spec: GoBinarySpec): GoBinary {
  const { layout: version = '1.20', pointerBytes = 8 } = spec;
  const base = spec.positionIndependent ? 0n : 0x400000n;
  const codeAddress = base + 0x1000n;
  const textStart = codeAddress + BigInt(BEFORE_TEXT);
  const sizes = spec.functions.map(({ lines }) => lines.reduce((sum, [, bytes]) => sum + bytes, 0));
  const entries: bigint[] = [];
  let end = textStart;
  spec.functions.forEach(({ padding = 0 }, index) => {
    entries.push(end);
    end += BigInt(sizes[index]! + padding);
  });
  const code = new ByteWriter().padTo(BEFORE_TEXT);
  spec.functions.forEach(({ code: own, padding = 0 }, index) => {
    code.append(own ?? new Uint8Array(sizes[index]!)).append(new Uint8Array(padding));
  });

  const tableAddress = base + 0x100000n;
  const treesAddress = base + 0x80000n;
  const table = isEarly(version)
    ? {
        ...buildEarlyTable({ ...spec, version, pointerBytes, quantum: QUANTUM, entries, end, treesAddress }),
        treesAt: 0,
      }
    : buildTable(spec, version === '1.26' ? '1.20' : version, textStart, entries, end, treesAddress);
  const gofunc = spec.layout === '1.26' ? tableAddress + BigInt(table.treesAt) : treesAddress;
  spec.spoil?.(table.bytes);
  const moduledata = buildModuledata(spec, {
    tableAddress,
    textStart,
    end,
    firstEntry: entries[0] ?? textStart,
    gofunc,
    tableEnd: tableAddress + BigInt(table.bytes.length),
  });
  const notes = new ByteWriter();
  if (spec.gnuBuildId !== undefined) notes.append(buildNote('GNU', 3, Buffer.from(spec.gnuBuildId, 'hex')));
  if (spec.goBuildId !== undefined) notes.append(buildNote('Go', 4, Buffer.from(spec.goBuildId)));

  const [codeName, tableName, dataName] = spec.sectionNames ?? ['.text', '.gopclntab', '.noptrdata'];
  const { bytes, segmentOffsets } = layOutElf({
    type: spec.positionIndependent ? 3 : 2,
    ...(spec.machine === undefined ? {} : { machine: spec.machine }),
    segments: [
      { flags: flags.readOnly, virtualAddress: base, bytes: new Uint8Array(16) },
      { flags: flags.code, virtualAddress: codeAddress, bytes: code.finish() },
      { flags: flags.readOnly, virtualAddress: treesAddress, bytes: table.trees },
      { flags: flags.readOnly, virtualAddress: tableAddress, bytes: table.bytes },
      { flags: flags.data, virtualAddress: base + 0x200000n, bytes: moduledata },
    ],
    sections: spec.withoutSections
      ? []
      : [
          { name: codeName, flags: flags.allocatedCode, virtualAddress: codeAddress, size: code.length },
          { name: tableName, flags: flags.allocated, virtualAddress: tableAddress, size: table.bytes.length },
          {
            name: dataName,
            flags: flags.allocated,
            virtualAddress: base + 0x200000n,
            size: moduledata.length,
          },
          { name: '.note', type: 7, bytes: notes.finish() },
        ],
  });
  const rangeOf = (row: number, length: number) => [segmentOffsets[row]!, segmentOffsets[row]! + length] as const;
  return {
    bytes,
    textStart,
    entries,
    table: rangeOf(3, table.bytes.length),
    moduledata: rangeOf(4, moduledata.length),
  };
}

type LaterLayout = '1.16' | '1.18' | '1.20';

function isEarly(version: NonNullable<GoBinarySpec['layout']>): version is EarlyVersion {
  return version === '1.2' || version === '1.12' || version === '1.13';
}

function buildTable(
  spec: GoBinarySpec,
  layout: LaterLayout,
  textStart: bigint,
  entries: readonly bigint[],
  end: bigint,
  treesAddress: bigint,
): { bytes: Uint8Array; trees: Uint8Array; treesAt: number } {
  const names = new Strings();
  // The first name is never a function's, so that offset 0 is nobody's.
  names.offset('first');
  const files = new Strings();
  const pcTables = new ByteWriter().u8(0);
  const pcTable = (ranges: Ranges | undefined): number => {
    if (ranges === undefined) return 0;
    const offset = pcTables.length;
    pcTables.append(encodeRanges(ranges));
    return offset;
  };
  const fileNumbers: string[] = [...new Set(spec.functions.map(({ file = 'main.go' }) => file))];
  const trees = new ByteWriter().padTo(16);
  const records = new ByteWriter();
  const { pointerBytes = 8 } = spec;
  const word = (writer: ByteWriter, value: bigint | number) =>
    pointerBytes === 8 ? writer.u64(value) : writer.u32(Number(value));
  const indexBytes = (2 * entries.length + 1) * (layout === '1.16' ? pointerBytes : 4);
  const offsets = spec.functions.map((each, index) => {
    const { file = 'main.go', lines, stackDeltas, inlineTree, startLine = 0, pcdata = {} } = each;
    const size = lines.reduce((sum, [, bytes]) => sum + bytes, 0);
    const treeOffset = inlineTree === undefined ? undefined : trees.length;
    for (const call of inlineTree ?? []) {
      if (layout === '1.20') trees.u32(0, names.offset(call.name), call.parentPc, call.startLine ?? 0);
      else trees.u32(0, 0, 0, names.offset(call.name), call.parentPc);
    }
    records.align(8);
    const offset = indexBytes + (8 - (indexBytes % 8)) + records.length;
    const entry = entries[index]!;
    if (layout === '1.16') word(records, entry);
    else records.u32(Number(entry - textStart));
    const tables = Array.from({ length: 5 }, (_, number) => pcTable(pcdata[number]));
    records.u32(names.offset(each.name), 0, 0, pcTable(stackDeltas), pcTable([[fileNumbers.indexOf(file), size]]));
    records.u32(pcTable(lines), tables.length, 0);
    if (layout === '1.20') records.u32(startLine);
    records.u8(0, 0, 0, 4).u32(...tables);
    if (layout === '1.16') {
      records.align(pointerBytes);
      for (const address of [0n, 0n, 0n, treeOffset === undefined ? 0n : treesAddress + BigInt(treeOffset)]) {
        word(records, address);
      }
    } else {
      records.u32(0xffffffff, 0xffffffff, 0xffffffff, treeOffset ?? 0xffffffff);
    }
    return offset;
  });
  const compilationUnits = new ByteWriter().u32(...fileNumbers.map((file) => files.offset(file)));
  const parts = [names.finish(), compilationUnits.finish(), files.finish(), pcTables.finish()];
  const magic = { '1.16': 0xfffffffa, '1.18': 0xfffffff0, '1.20': 0xfffffff1 }[layout];
  const headerBytes = layout === '1.16' ? 64 : 72;
  const partOffsets: number[] = [];
  let at = headerBytes;
  for (const part of [...parts, new Uint8Array(0)]) {
    partOffsets.push(at);
    at = Math.ceil((at + part.length) / 8) * 8;
  }
  const table = new ByteWriter().u32(magic).u8(0, 0, QUANTUM, pointerBytes);
  const textWords = layout === '1.16' ? [] : [spec.layout === '1.26' ? 0n : textStart];
  for (const value of [entries.length, fileNumbers.length, ...textWords, ...partOffsets]) {
    word(table, value);
  }
  parts.forEach((part, index) => {
    table.padTo(partOffsets[index]!).append(part);
  });
  table.align(8);
  entries.forEach((entry, index) => {
    if (layout === '1.16') {
      word(table, entry);
      word(table, offsets[index]!);
    } else table.u32(Number(entry - textStart), offsets[index]!);
  });
  if (layout === '1.16') word(table, end);
  else table.u32(Number(end - textStart));
  table
    .padTo(partOffsets[4]! + indexBytes + (8 - (indexBytes % 8)))
    .append(records.finish())
    .align(16);
  const treesAt = table.length;
  if (spec.layout === '1.26') table.append(trees.finish());
  return { bytes: table.finish(), trees: trees.finish(), treesAt };
}

function buildModuledata(
  spec: GoBinarySpec,
  at: {
    tableAddress: bigint;
    textStart: bigint;
    end: bigint;
    firstEntry: bigint;
    gofunc: bigint;
    tableEnd: bigint;
  },
): Uint8Array {
  const words = new BigUint64Array(80);
  if (!spec.withoutModuledata) {
    words.set([at.firstEntry, at.end, at.textStart, at.end], 16 + 20);
    words[16] = at.tableAddress;
    words[16 + (spec.gofuncWord ?? (spec.layout === '1.18' ? 38 : 40))] = at.gofunc;
    if (spec.layout === '1.26') words[16 + (spec.gofuncWord ?? 40) + 1] = at.tableEnd;
  }
  return new Uint8Array((spec.pointerBytes === 4 ? Uint32Array.from(words, Number) : words).buffer);
}

class Strings {
  readonly #writer = new ByteWriter();
  readonly #offsets = new Map<string, number>();

  offset(text: string): number {
    let offset = this.#offsets.get(text);
    if (offset === undefined) {
      offset = this.#writer.length;
      this.#offsets.set(text, offset);
      this.#writer.cstring(text);
    }
    return offset;
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }
}
