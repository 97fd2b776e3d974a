import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildElf, flags, memorySource, type SymbolSpec, symbolSections } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { Budget } from '../limits.js';
import { findSection, readElf } from './file.js';
import { ElfMachine } from './header.js';
import { SymbolBinding, SymbolType } from './symbol.js';
import { ElfSymbolTable } from './symbol-table.js';

interface TableOptions {
  readonly machine?: number;
  readonly wordBytes?: 4 | 8;
  readonly imageBase?: bigint;
  readonly budget?: Budget;
}

/** A table over two sections of 0x100 bytes: 1 is code at the image base, 2 is data behind it. */
function tableOf(symbols: readonly SymbolSpec[], options: TableOptions = {}): ElfSymbolTable {
  const { machine = ElfMachine.x86_64, wordBytes = 8, imageBase = 0n, budget = new Budget() } = options;
  const elf = readElf(
    memorySource(
      buildElf({
        machine,
        wordBytes,
        sections: [
          { name: '.text', flags: flags.allocatedCode, virtualAddress: imageBase, bytes: new Uint8Array(0x100) },
          { name: '.data', flags: flags.allocated, virtualAddress: imageBase + 0x100n, bytes: new Uint8Array(0x100) },
          ...symbolSections(symbols, 'symtab', wordBytes),
        ],
      }),
    ),
  );
  return new ElfSymbolTable(elf, findSection(elf, '.symtab')!, imageBase, budget);
}

test('functions and labels of code are found, data is not', () => {
  const table = tableOf([
    { name: 'main', value: 0x10, size: 0x10 },
    { name: 'memcpy', value: 0x20, size: 0x10, type: SymbolType.indirectFunction, binding: SymbolBinding.weak },
    { name: 'label', value: 0x40, type: SymbolType.none, binding: SymbolBinding.local },
    { name: 'table', value: 0x60, size: 0x10, type: SymbolType.object },
    { name: 'variable', value: 0x110, size: 8, type: SymbolType.none, section: 2 },
    { name: 'undefined', value: 0x80, size: 8, section: 0 },
    { name: 'absolute', value: 0x90, size: 8, section: 0xfff1 },
  ]);
  assert.equal(table.length, 3);
  assert.deepEqual(table.find(0x1f), {
    name: 'main',
    objectAddress: 0x10,
    size: 0x10,
    binding: 'global',
    type: 'function',
    file: '',
  });
  const indirect = table.find(0x20);
  assert.deepEqual([indirect?.name, indirect?.binding, indirect?.type], ['memcpy', 'weak', 'indirect']);
  assert.deepEqual([table.find(0x48)?.name, table.find(0x48)?.type], ['label', 'untyped']);
  assert.equal(table.find(0x110), undefined);
});

test('a local symbol is of the source file that is named before it', () => {
  const local = { size: 8, binding: SymbolBinding.local };
  const file = { value: 0, section: 0xfff1, type: SymbolType.file, binding: SymbolBinding.local };
  const table = tableOf([
    { name: 'none', value: 0, ...local },
    { name: 'a.c', ...file },
    { name: 'first', value: 8, ...local },
    { name: 'second', value: 16, ...local },
    { name: 'b.c', ...file },
    { name: 'third', value: 24, ...local },
    { name: '', ...file },
    { name: 'linker', value: 32, ...local },
    { name: 'main', value: 40, size: 8 },
  ]);
  const files = [0, 8, 16, 24, 32, 40].map((address) => table.find(address)?.file);
  assert.deepEqual(files, ['', 'a.c', 'a.c', 'b.c', '', '']);
});

test('labels that tools put in are no names', () => {
  const label = (name: string, value: number): SymbolSpec => ({ name, value, type: SymbolType.none });
  const table = tableOf([label('$x', 0x10), label('$d.1', 0x20), label('.L3', 0x30), label('', 0x40)]);
  assert.equal(table.length, 0);
  assert.equal(table.find(0x10), undefined);
});

test('the version that the linker appends is not part of the name', () => {
  const table = tableOf([
    { name: 'fsetpos@@GLIBC_2.2.5', value: 0x10, size: 8 },
    { name: 'memcpy@GLIBC_2.14', value: 0x20, size: 8 },
    { name: 'example.com/a@v2.Do', value: 0x30, size: 8 },
  ]);
  assert.deepEqual(
    [0x10, 0x20, 0x30].map((address) => table.find(address)?.name),
    ['fsetpos', 'memcpy', 'example.com/a@v2.Do'],
  );
});

test('addresses above 2^53 are exact, relative to the image base', () => {
  const imageBase = 0xffffffff81000000n;
  const table = tableOf([{ name: 'startup_64', value: imageBase + 0x11n, size: 3 }], { imageBase });
  assert.equal(table.find(0x10), undefined);
  assert.equal(table.find(0x11)?.name, 'startup_64');
  assert.equal(table.find(0x14), undefined);
});

test('a 32-bit file is read, and on arm the bit that says Thumb is not part of the address', () => {
  const symbols = [
    { name: 'thumb', value: 0x11, size: 8 },
    { name: 'arm', value: 0x20, size: 8 },
  ];
  const arm = tableOf(symbols, { machine: ElfMachine.arm, wordBytes: 4 });
  assert.deepEqual(
    [0xf, 0x10, 0x17, 0x18, 0x20].map((address) => arm.find(address)?.name),
    [undefined, 'thumb', 'thumb', undefined, 'arm'],
  );
  assert.equal(tableOf(symbols, { machine: ElfMachine.i386, wordBytes: 4 }).find(0x10), undefined);
});

test('a name behind the end of the names costs that symbol only, one without end has a limit', () => {
  const spoilt = tableOf([
    { name: 'good', value: 0x10, size: 8 },
    { name: 'long', value: 0x20, size: 8 },
  ]);
  assert.equal(spoilt.find(0x10)?.name, 'good');
  const limited = tableOf([{ name: 'x'.repeat(1000), value: 0x10, size: 8 }], {
    budget: new Budget({ stringBytes: 255 }),
  });
  assertFormatError(() => limited.find(0x10), 'E_LIMIT', { section: '.strtab', limit: 255 });
});

test('what was read is counted, and given back', () => {
  const table = tableOf([{ name: 'main', value: 0x10, size: 8 }]);
  assert.equal(table.heldBytes, 0);
  table.find(0x10);
  assert.ok(table.heldBytes > 0);
  table.release();
  assert.equal(table.heldBytes, 0);
  assert.equal(table.find(0x10)?.name, 'main');
});
