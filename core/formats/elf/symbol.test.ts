import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../test/helpers/bytes.js';
import { buildElf, memorySource } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { Budget } from '../limits.js';
import { findSection, readElf } from './file.js';
import { SectionType } from './section.js';
import { readSymbols, SymbolBinding, SymbolType } from './symbol.js';

const symbols = new ByteWriter()
  .append(new Uint8Array(24))
  .u32(1)
  .u8(0x12, 0)
  .u16(1)
  .u64(0xffffffff81000000n, 32)
  .u32(999)
  .u8(0, 0)
  .u16(0)
  .u64(0, 0)
  .finish();

function elfWith(entrySize: number, link: string) {
  const bytes = buildElf({
    sections: [
      { name: '.symtab', type: SectionType.symtab, bytes: symbols, entrySize, link },
      { name: '.strtab', type: SectionType.strtab, bytes: Buffer.from('\0main.main\0') },
    ],
  });
  return readElf(memorySource(bytes));
}

test('symbols are read with name, type, binding and whole 64-bit value', () => {
  const elf = elfWith(24, '.strtab');
  const table = readSymbols(elf, findSection(elf, '.symtab')!, new Budget());
  assert.equal(table.length, 3);
  assert.equal(table.nameOffset(1), 1);
  assert.equal(table.type(1), SymbolType.function);
  assert.equal(table.binding(1), SymbolBinding.global);
  assert.deepEqual([table.valueHigh(1), table.valueLow(1)], [0xffffffff, 0x81000000]);
  assert.equal(table.size(1), 32);
});
test('a table with another entry size is refused', () => {
  for (const elf of [elfWith(0, '.strtab'), elfWith(25, '.strtab'), elfWith(16, '.strtab')]) {
    assertFormatError(() => readSymbols(elf, findSection(elf, '.symtab')!, new Budget()), 'E_ELF_SYMBOLS', {
      section: '.symtab',
      limit: 24,
    });
  }
});
