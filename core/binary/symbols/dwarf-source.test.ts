import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf } from '../../../test/helpers/binaries.js';
import { buildLineProgram, buildUnits, debugSections, type UnitSpec } from '../../../test/helpers/dwarf.js';
import { program, programLines } from '../../../test/helpers/dwarf-program.js';
import { Attribute, Form, Tag } from '../../formats/dwarf/constants.js';
import { openDwarf } from '../../formats/dwarf/dwarf.js';
import { FormatError } from '../../formats/errors.js';
import type { ObjectSymbol, SymbolTable } from '../../formats/symbols/symbol.js';
import { openDwarfSource } from './dwarf-source.js';
import type { SymbolSource } from './source.js';

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

function sourceOf(symbolTables: SymbolTable[], ...units: UnitSpec[]): SymbolSource {
  const { info, abbrev } = buildUnits(...units);
  const debug = debugSections({
    '.debug_info': info,
    '.debug_abbrev': abbrev,
    '.debug_line': buildLineProgram({ opcodes: programLines }),
  });
  return openDwarfSource(binaryOf({ dwarf: openDwarf(debug), symbolTables }))[0]!;
}

function frames(objectAddress: number, symbolTables: SymbolTable[], unit: UnitSpec = program()): string | undefined {
  return sourceOf(symbolTables, unit)
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

test('spoilt units are named in the order they were met, and counted when there are many', () => {
  const units = Array.from({ length: 120 }, (_, index): UnitSpec => {
    const { root } = program();
    const name = [Attribute.name, Form.string, `broken${index}.c`] as const;
    const code = [
      [Attribute.lowPc, Form.address, 0x10000 + index * 16] as const,
      [Attribute.highPc, Form.data1, 16] as const,
    ];
    return {
      root: { ...root, attributes: [name, ...code], children: [{ tag: Tag.subprogram, attributes: [[3, 0x2f, '']] }] },
    };
  });
  const source = sourceOf([], program(), ...units);
  assert.equal(source.framesAt(0x1000)?.length, 1);
  assert.deepEqual(source.faults, []);
  for (let index = 0; index < 120; index++) assert.throws(() => source.framesAt(0x10000 + index * 16), FormatError);
  assert.equal(source.faults.length, 101);
  assert.match(source.faults[0]!, /^debug information of broken0\.c: \.debug_abbrev.*form not known/);
  assert.equal(source.faults.at(-1), 'debug information of 20 more units is spoilt or missing');
});

test('calls of functions that are in a file which is not there are part of their caller', () => {
  const { root } = program();
  const [outer, ...others] = root.children!;
  const [call] = outer!.children!;
  const origin = [Attribute.abstractOrigin, Form.gnuRefAlternate, 0x20] as const;
  const elsewhere = { ...call!, attributes: [origin, ...call!.attributes.slice(1)] };
  const unit = { root: { ...root, children: [{ ...outer!, children: [elsewhere] }, ...others] } };
  const source = sourceOf([], unit);
  assert.deepEqual(
    source.framesAt(0x1014)?.map(({ function: name, line }) => [name, line]),
    [
      ['_Z7deepestv', 70],
      ['_Z5outerv', 11],
    ],
  );
  assert.deepEqual(source.faults, ['debug information refers to a file with shared parts (dwz) that is not there']);
});
