import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memorySource } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { buildGoBinary, type FunctionSpec, type GoBinarySpec } from '../../../test/helpers/go-binary.js';
import { readElf } from '../elf/file.js';
import { ElfImage } from '../elf/image.js';
import { Budget } from '../limits.js';
import { openGoTable } from './go-table.js';
import { GO_ROW_WORDS, type GoTable } from './table.js';

/**
 *     main.outer   0x00 … 0x40   line 10
 *       inner      0x10 … 0x20   line 50, called in line 11
 *         innermost 0x14 … 0x18  line 70, called in line 51
 *       padding    0x40 … 0x50
 *     main.leaf    0x50 … 0x60   assembly: no inline tree, no pcsp
 */
const functions: FunctionSpec[] = [
  {
    name: 'main.outer',
    file: '/src/main.go',
    startLine: 9,
    lines: [
      [10, 0x0f],
      [11, 1],
      [50, 3],
      [51, 1],
      [70, 4],
      [50, 8],
      [12, 0x20],
    ],
    stackDeltas: [
      [0, 4],
      [24, 0x38],
      [0, 4],
    ],
    pcdata: {
      2: [
        [-1, 0x10],
        [0, 4],
        [1, 4],
        [0, 8],
      ],
      4: [
        [-1, 0x20],
        [9, 0x20],
      ],
    },
    inlineTree: [
      { name: 'main.inner', parentPc: 0x0f, startLine: 49 },
      { name: 'main.innermost[go.shape.int]', parentPc: 0x13, startLine: 69 },
    ],
    padding: 0x10,
  },
  { name: 'main.leaf', file: '/src/leaf.s', startLine: 3, lines: [[5, 0x10]] },
];
const layouts = ['1.2', '1.12', '1.13', '1.16', '1.18', '1.20', '1.26'] as const;

function open(spec: Partial<GoBinarySpec> = {}, budget?: Budget): { go: GoTable | undefined; base: number } {
  const { bytes, textStart } = buildGoBinary({ functions, ...spec });
  const image = new ElfImage(readElf(memorySource(bytes)));
  return { go: openGoTable(image, budget), base: Number(textStart - image.imageBase) };
}

function openTable(spec: Partial<GoBinarySpec> = {}, budget?: Budget): { go: GoTable; base: number } {
  const { go, base } = open(spec, budget);
  assert.ok(go);
  return { go, base };
}

for (const layout of layouts) {
  for (const withoutSections of [false, true]) {
    for (const positionIndependent of [false, true]) {
      const kind = `${layout}${withoutSections ? ', no sections' : ''}${positionIndependent ? ', PIE' : ''}`;
      test(`inlined calls come innermost first, the function itself last (${kind})`, () => {
        const { go, base } = openTable({ layout, withoutSections, positionIndependent });
        const hasStart = layout === '1.20' || layout === '1.26';
        const file = '/src/main.go';
        const start = (line: number) => (hasStart ? line : 0);
        assert.equal(go.textStart, base);
        assert.deepEqual(go.frames(base + 0x15), [
          { function: 'main.innermost[go.shape.int]', file, line: 70, startLine: start(69), inlined: true },
          { function: 'main.inner', file, line: 51, startLine: start(49), inlined: true },
          { function: 'main.outer', file, line: 11, startLine: start(9), inlined: false },
        ]);
        assert.deepEqual(go.frames(base + 0x20), [
          { function: 'main.outer', file, line: 12, startLine: start(9), inlined: false },
        ]);
      });
    }
  }
}

test('padding and what is outside of the text have no frames', () => {
  const { go, base } = openTable();
  assert.equal(go.frames(base + 0x3f).length, 1);
  assert.deepEqual(go.frames(base + 0x40), []);
  assert.deepEqual(go.frames(base + 0x4f), []);
  assert.equal(go.frames(base + 0x50)[0]?.function, 'main.leaf');
  for (const pc of [base - 1, base + 0x60, 0, -1, 2 ** 52, Number.NaN]) assert.deepEqual(go.frames(pc), []);
});

test('a function owns the padding behind it, but ends where its lines end', () => {
  const { go, base } = openTable();
  assert.equal(go.length, 2);
  assert.equal(go.find(base + 0x4f), 0);
  assert.equal(go.find(base + 0x50), 1);
  assert.equal(go.find(base - 1), -1);
  assert.equal(go.find(base + 0x60), -1);
  assert.equal(go.entry(1), base + 0x50);
  assert.equal(go.end(0), base + 0x40);
  assert.equal(go.textEnd, base + 0x60);
});

test('a table of 1.2 without trees does not claim to know what was inlined', () => {
  const plain = functions.map(({ name, lines }) => ({ name, lines }));
  assert.equal(openTable({ layout: '1.2' }).go.hasInlinedCalls, true);
  assert.equal(openTable({ layout: '1.2', functions: plain }).go.hasInlinedCalls, false);
});

test('names and start lines are those of the function itself', () => {
  const { go } = openTable();
  assert.equal(go.name(0), 'main.outer');
  assert.equal(go.startLine(1), 3);
});

for (const layout of layouts) {
  test(`${layout}: tables of 32-bit programs have shorter words`, () => {
    const [wide, narrow] = [open({ layout }), open({ layout, pointerBytes: 4 })];
    assert.ok(wide.go && narrow.go);
    for (let pc = wide.base - 1; pc < wide.base + 0x61; pc++) {
      assert.deepEqual(narrow.go.frames(pc), wide.go.frames(pc));
    }
  });
}

test('stack deltas hold from their pc on, and are undefined for a function without the table', () => {
  const { go, base } = openTable();
  assert.equal(go.stackDelta(0, base), 0);
  assert.equal(go.stackDelta(0, base + 4), 24);
  assert.equal(go.stackDelta(0, base + 0x3c), 0);
  assert.equal(go.stackDelta(0, base + 0x40), undefined);
  assert.deepEqual(go.stackExtent(0), { codeBytes: 0x40, largestDelta: 24 });
  assert.equal(go.stackDelta(1, base + 0x50), undefined);
  assert.equal(go.stackExtent(1), undefined);
});

test('pcdata is −1 where the function has no such table or it ended', () => {
  const { go, base } = openTable();
  assert.equal(go.pcdata(0, 4, base + 0x20), 9);
  assert.equal(go.pcdata(0, 4, base + 0x1f), -1);
  assert.equal(go.pcdata(0, 4, base + 0x40), -1);
  assert.equal(go.pcdata(0, 99, base), -1);
  assert.equal(go.pcdata(1, 4, base + 0x50), -1);
});

test('gofunc is found wherever moduledata has it', () => {
  for (const gofuncWord of [38, 40, 43]) {
    for (const layout of ['1.18', '1.20', '1.26'] as const) {
      const { go, base } = openTable({ layout, gofuncWord });
      assert.equal(go.frames(base + 0x15).length, 3, `${layout}, word ${gofuncWord}`);
    }
  }
});

test('without moduledata places are read but inlined calls are refused, not guessed', () => {
  const { go, base } = openTable({ layout: '1.20', withoutModuledata: true });
  assert.equal(go.frames(base + 0x20)[0]?.function, 'main.outer');
  assertFormatError(() => go.frames(base + 0x15), 'E_GO_GOFUNC');
});

test('without moduledata and textStart (1.26) the text is not taken for .text', () => {
  assertFormatError(() => open({ layout: '1.26', withoutModuledata: true }), 'E_GO_MODULEDATA');
});

test('a cycle in an inline tree ends at the limit', () => {
  const cyclic: FunctionSpec = {
    name: 'main.f',
    lines: [[1, 16]],
    pcdata: { 2: [[0, 16]] },
    inlineTree: [{ name: 'main.f', parentPc: 3 }],
  };
  const { go, base } = openTable({ functions: [cyclic] }, new Budget({ inlineDepth: 20 }));
  assertFormatError(() => go.frames(base), 'E_LIMIT', { limit: 20 });
});

test('a table for another pointer size, byte order or version has a code of its own', () => {
  const spoilt = (offset: number, value: number) => () =>
    open({
      spoil: (table) => {
        table[offset] = value;
      },
    });
  assertFormatError(spoilt(7, 5), 'E_GO_POINTER_SIZE', { section: '.gopclntab', offset: 6 });
  assertFormatError(spoilt(1, 0), 'E_GO_MAGIC');
});

test('a header that lies about its parts is refused', () => {
  const withWord = (word: number, value: bigint) => () =>
    open({
      spoil: (table) => new DataView(table.buffer).setBigUint64(8 + word * 8, value, true),
    });
  assertFormatError(withWord(0, 2n ** 40n), 'E_LIMIT', { got: 2 ** 40 });
  assertFormatError(withWord(0, 1000n), 'E_GO_HEADER');
  assertFormatError(withWord(0, 2n ** 63n), 'E_RANGE');
  for (const word of [3, 4, 5, 6, 7]) assertFormatError(withWord(word, 2n ** 30n), 'E_GO_HEADER');
});

test('entries that go down and records outside of the table are refused', () => {
  const indexAt = (table: Uint8Array) => Number(new DataView(table.buffer).getBigUint64(8 + 7 * 8, true));
  const withIndexWord = (word: number, value: number) => () =>
    open({
      spoil: (table) => new DataView(table.buffer).setUint32(indexAt(table) + word * 4, value, true),
    });
  assertFormatError(withIndexWord(2, 0xffffff00), 'E_GO_FUNCTAB');
  assertFormatError(withIndexWord(1, 0x7fffffff), 'E_GO_FUNCTAB');
});

test('a pc-value table behind the end is refused, also where its offset is next to 4 GiB', () => {
  for (const offset of [0x00ffffff, 0xfffffff0]) {
    const { go, base } = openTable({
      spoil: (table) => {
        const view = new DataView(table.buffer);
        const index = Number(view.getBigUint64(8 + 7 * 8, true));
        const record = index + view.getUint32(index + 4, true);
        view.setUint32(record + 24, offset, true);
      },
    });
    assertFormatError(() => go.frames(base), 'E_TRUNCATED', { section: '.gopclntab pc-value tables' });
  }
});

test('functions that do not lie in code are refused', () => {
  const outside = (table: Uint8Array) => new DataView(table.buffer).setBigUint64(8 + 2 * 8, 0x900000n, true);
  assertFormatError(() => open({ withoutModuledata: true, spoil: outside }), 'E_GO_TEXT');
});

test('a file with sections, none of them Go’s, is not searched', () => {
  assert.equal(open({ sectionNames: ['.text', '.rodata', '.data'] }).go, undefined);
});

test('a table inside another section is found, as gcc leaves it in a PIE', () => {
  const { go, base } = openTable({ positionIndependent: true, sectionNames: ['.text', '.data.rel.ro', '.noptrdata'] });
  assert.equal(go.frames(base + 0x15).length, 3);
});

test('a search in a file without sections ends at the limit', () => {
  const spec = { withoutSections: true, spoil: (table: Uint8Array) => table.fill(0) };
  assertFormatError(() => open(spec, new Budget({ steps: 20 })), 'E_LIMIT', { limit: 20 });
});

test('a file without a table has none', () => {
  const { go } = open({ withoutSections: true, spoil: (table) => table.fill(0) });
  assert.equal(go, undefined);
});

const ROWS_SPEC: Partial<GoBinarySpec> = { layout: '1.26' };

function rowsAt(go: GoTable, pcs: readonly number[]): { counts: number[]; frames: unknown[] } {
  const { counts, rows, names, files } = go.frameRows(Float64Array.from(pcs))!;
  const text = (table: Uint8Array, offset: number) =>
    offset < 0 ? '' : Buffer.from(table.subarray(offset, table.indexOf(0, offset))).toString();
  const frames = Array.from({ length: rows.length / GO_ROW_WORDS }, (_, row) => {
    const [name, file, line, startLine] = rows.subarray(row * GO_ROW_WORDS);
    return { function: text(names, name!), file: text(files, file!), line, startLine };
  });
  return { counts: [...counts], frames };
}

test('rows of many places are their frames', () => {
  const { go, base } = openTable(ROWS_SPEC);
  const pcs = Array.from({ length: 0x62 }, (_, offset) => base - 1 + offset);
  const { counts, frames } = rowsAt(go, pcs);
  assert.deepEqual(
    counts,
    pcs.map((pc) => (go.find(pc) < 0 ? -1 : go.frames(pc).length)),
  );
  assert.deepEqual(
    frames,
    pcs.flatMap((pc) => go.frames(pc).map(({ inlined: _, ...frame }) => frame)),
  );
});

test('what is no address, and more than is looked at once, is left to be asked for', () => {
  const { go, base } = openTable(ROWS_SPEC);
  assert.deepEqual(rowsAt(go, [-2, Number.NaN, base, 2 ** 53]).counts, [-1, -1, 1, -1]);
  assert.equal(rowsAt(go, new Array(5000).fill(base + 0x14)).counts.length, 1024);
});

test('trees outside of the table are left to be asked for, and tables before 1.20 have no rows', () => {
  const { go, base } = openTable({ layout: '1.20' });
  assert.deepEqual(rowsAt(go, [base + 0x14, base]).counts, [-1, 1]);
  assert.equal(openTable({ layout: '1.18' }).go.frameRows(Float64Array.of(base)), undefined);
});

test('a spoilt function does not spoil the rows of others', () => {
  const { go, base } = openTable({
    ...ROWS_SPEC,
    spoil: (table) => {
      const view = new DataView(table.buffer);
      const index = Number(view.getBigUint64(8 + 7 * 8, true));
      const record = index + view.getUint32(index + 4, true);
      view.setUint32(record + 24, 0xffffff, true);
    },
  });
  assertFormatError(() => go.frames(base), 'E_TRUNCATED');
  const { counts, frames } = rowsAt(go, [base + 0x50, base, base + 1, base + 0x51, base + 2]);
  assert.deepEqual(counts, [1, -1, -1, 1, -1]);
  assert.deepEqual(frames, Array(2).fill({ function: 'main.leaf', file: '/src/leaf.s', line: 5, startLine: 3 }));
});
