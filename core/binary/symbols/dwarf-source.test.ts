import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf } from '../../../test/helpers/binaries.js';
import { buildLineProgram, buildUnits, debugSections, type UnitSpec } from '../../../test/helpers/dwarf.js';
import { program, programLines } from '../../../test/helpers/dwarf-program.js';
import { FormatError } from '../../formats/errors.js';
import type { ObjectSymbol, SymbolTable } from '../../formats/symbols/symbol.js';
import { openDwarfSource } from './dwarf-source.js';

function tableOf(...symbols: (Partial<ObjectSymbol> & { name: string; objectAddress: number })[]): SymbolTable {
  const whole = symbols.map((symbol) => ({
    size: 0x10,
    binding: 'local' as const,
    type: 'function' as const,
    file: '',
    ...symbol,
  }));
  return {
    name: 'symtab',
    length: whole.length,
    heldBytes: 0,
    find: (at) => whole.find(({ objectAddress, size }) => at >= objectAddress && at < objectAddress + size),
  };
}

const spoiltTable: SymbolTable = {
  ...tableOf(),
  find: () => {
    throw new FormatError('E_ELF_SYMBOLS', 'spoilt');
  },
};

function frames(objectAddress: number, symbolTables: SymbolTable[], unit: UnitSpec = program()): string | undefined {
  const { info, abbrev } = buildUnits(unit);
  const debug = debugSections({
    '.debug_info': info,
    '.debug_abbrev': abbrev,
    '.debug_line': buildLineProgram({ opcodes: programLines }),
  });
  return openDwarfSource(binaryOf({ debug, symbolTables }))!
    .framesAt(objectAddress)
    ?.map(({ function: name, systemName, file, line }) => `${name} ${systemName} ${file}:${line}`)
    .join(' < ');
}

test('the outermost function is called what the symbol table calls it', () => {
  const table = tableOf({ name: 'outer.isra.0', objectAddress: 0x1000, size: 0x40 });
  assert.equal(frames(0x1010, [table]), 'inner inner /src/a.c:50 < outer.isra.0 outer.isra.0 /src/a.c:11');
  assert.equal(frames(0x1050, [table]), 'other other /src/a.c:80');
});

test('a symbol that stands for what an indirect function chooses is not the name of the code that chooses', () => {
  const table = tableOf({ name: 'memcpy', objectAddress: 0x1050, type: 'indirect' });
  assert.equal(frames(0x1050, [table]), 'other other /src/a.c:80');
});

test('code with lines but no function in DWARF has the name of its symbol, and the line', () => {
  const table = tableOf({ name: 'start', objectAddress: 0x1040 });
  assert.equal(frames(0x1040, [table]), 'start start /src/a.c:12');
  const { attributes, tag } = program().root;
  assert.equal(frames(0x1040, [table], { root: { tag, attributes } }), 'start start /src/a.c:12');
});

test('what only the symbol table knows is for the table to answer', () => {
  assert.equal(frames(0x3000, [tableOf({ name: 'elsewhere', objectAddress: 0x3000 })]), undefined);
});

test('a spoilt table costs its names', () => {
  const table = tableOf({ name: 'renamed', objectAddress: 0x1050 });
  assert.equal(frames(0x1050, [spoiltTable]), 'other other /src/a.c:80');
  assert.equal(frames(0x1050, [spoiltTable, table]), 'renamed renamed /src/a.c:80');
});

test('functions that cannot be read leave their lines to the symbol', () => {
  const unit = program();
  const children = [...unit.root.children!, { tag: 0x2e, attributes: [[0x03, 0x2f, '']] as const }];
  const broken = { ...unit, root: { ...unit.root, children } };
  assert.throws(() => frames(0x1000, [], broken), FormatError);
  assert.equal(frames(0x1000, [tableOf({ name: 'f', objectAddress: 0x1000 })], broken), 'f f /src/a.c:10');
});
