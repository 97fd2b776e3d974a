/** Whatever the bytes, the readers of Mach-O and PE give values that lie within them, or throw FormatError. */
import { FormatError } from '../../core/formats/errors.js';
import { Budget } from '../../core/formats/limits.js';
import { readMachFile } from '../../core/formats/macho/file.js';
import { isMachO, readFatSlices } from '../../core/formats/macho/header.js';
import { machImage } from '../../core/formats/macho/image.js';
import { MachSymbols } from '../../core/formats/macho/symbol-table.js';
import { CoffSymbols } from '../../core/formats/pe/coff-symbols.js';
import { PeExports } from '../../core/formats/pe/export-symbols.js';
import { isPe, readPeFile } from '../../core/formats/pe/file.js';
import { peImage } from '../../core/formats/pe/image.js';
import type { SegmentImage } from '../../core/formats/segment-image.js';
import type { ByteSource } from '../../core/formats/source.js';
import type { SymbolTable } from '../../core/formats/symbols/symbol.js';
import { ByteWriter } from '../helpers/bytes.js';
import { memorySource } from '../helpers/elf.js';
import { buildFat, buildMachO } from '../helpers/macho.js';
import { buildPe, peCode } from '../helpers/pe.js';
import { fuzz } from './mutate.js';

function readAll(bytes: Uint8Array): void {
  const source = memorySource(bytes);
  if (isMachO(bytes.subarray(0, 8))) {
    for (const slice of readFatSlices(source)?.map((fat) => fat.source) ?? [source]) attempt(() => readMach(slice));
  }
  if (isPe(bytes)) readPe(source);
}

function readMach(source: ByteSource): void {
  const budget = new Budget();
  const file = readMachFile(source, budget);
  const image = machImage(file);
  readImage(image, source.size);
  if (file.symbolTable !== undefined) find(new MachSymbols(file, file.symbolTable, image.imageBase, budget));
}

function readPe(source: ByteSource): void {
  const budget = new Budget();
  const file = readPeFile(source, budget);
  const image = peImage(file);
  readImage(image, source.size);
  const { symbolTable, exports } = file;
  if (symbolTable !== undefined) attempt(() => find(new CoffSymbols(file, symbolTable, budget)));
  if (exports !== undefined) find(new PeExports(image, exports, budget));
}

function readImage(image: SegmentImage, fileBytes: number): void {
  for (const { objectAddress, size } of [...image.segments, ...image.sections]) {
    const { length } = image.bytesAt(objectAddress, size);
    if (length > fileBytes) throw new Error(`segment of ${length} in ${fileBytes} bytes`);
  }
}

function find(table: SymbolTable): void {
  for (let objectAddress = 0xff0; objectAddress < 0x1060; objectAddress += 8) {
    const symbol = table.find(objectAddress);
    if (symbol !== undefined && objectAddress < symbol.objectAddress) {
      throw new Error(`${objectAddress} is before ${symbol.objectAddress}`);
    }
  }
}

function attempt(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
}

const BASE = 0x1_0000_0000n;
const mach = buildMachO({
  uuid: '00'.repeat(16),
  segments: [
    {
      name: '__TEXT',
      virtualAddress: BASE,
      protection: 5,
      sections: [{ name: '__text', virtualAddress: BASE + 0x1000n, bytes: new Uint8Array(64), isCode: true }],
    },
  ],
  symbols: [
    { name: '_main', value: BASE + 0x1000n, section: 1 },
    { name: '_f', value: BASE + 0x1010n, section: 1 },
  ],
});
const text = { name: '.text', address: 0x1000, bytes: new Uint8Array(64), flags: peCode };
const exported = new ByteWriter()
  .append(new Uint8Array(20))
  .u32(1, 1, 0x3028, 0x302c, 0x3030, 0x1008, 0x3032)
  .u16(0)
  .cstring('f')
  .finish();
const pe = buildPe({
  sections: [text, { name: '.debug_information', address: 0x3000, bytes: exported }],
  symbols: [
    { name: 'main', value: 0, section: 1 },
    { name: 'a_long_name', value: 16, section: 1, record: new Uint8Array(18) },
    { name: '.text', value: 0, section: 1, type: 0, storage: 3, record: new Uint8Array(18).fill(1) },
  ],
  exports: { address: 0x3000, size: exported.length },
});

await fuzz({
  name: 'macho-pe',
  seeds: [
    { bytes: mach, hot: [[0, 240]] },
    { bytes: buildFat([{ cpu: 7, bytes: mach }]), hot: [[0, 40]] },
    {
      bytes: pe,
      hot: [
        [60, 300],
        [300, pe.length],
      ],
    },
  ],
  run: readAll,
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 1_000,
});
