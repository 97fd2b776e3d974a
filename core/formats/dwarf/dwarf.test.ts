import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../test/helpers/bytes.js';
import {
  type AttributeSpec,
  buildLineProgram,
  buildUnits,
  type DieSpec,
  debugSections,
  lineSequence,
  type UnitSpec,
} from '../../../test/helpers/dwarf.js';
import { program, programLines } from '../../../test/helpers/dwarf-program.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { Attribute, Form, Tag, UnitType } from './constants.js';
import { type Dwarf, openDwarf } from './dwarf.js';

const { address, data1, data4, ref4, string } = Form;

function open(units: UnitSpec[], more: { [name: string]: Uint8Array } = {}, imageBase = 0n): Dwarf {
  const { info, abbrev } = buildUnits(...units);
  const dwarf = openDwarf(
    debugSections(
      {
        '.debug_info': info,
        '.debug_abbrev': abbrev,
        '.debug_line': buildLineProgram({ opcodes: programLines }),
        ...more,
      },
      { imageBase },
    ),
  );
  assert.ok(dwarf);
  return dwarf;
}

/** `deepest /src/a.c:70:9 < inner /src/a.c:51:3`, with the start line in front of the file. */
function frames(dwarf: Dwarf, objectAddress: number): string | undefined {
  return dwarf
    .framesAt(objectAddress)
    ?.map((frame) => `${frame.function} ${frame.startLine} ${frame.file}:${frame.line}:${frame.column}`)
    .join(' < ');
}

const deepestFrames = '_Z7deepestv 69 /src/a.c:70:9 < inner 49 /src/a.c:51:3 < _Z5outerv 9 /src/a.c:11:3';

for (const version of [2, 3, 4, 5]) {
  test(`inlined calls come innermost first, each with the place that it calls from (version ${version})`, () => {
    const dwarf = open([program(version)], {
      '.debug_line': buildLineProgram({
        version,
        opcodes: version === 5 ? programLines : lineSequence(0x1000, [[0x60, 1, 10, 1]]),
        files: [['a.c', 0]],
      }),
    });
    assert.match(frames(dwarf, 0x1000)!, /^_Z5outerv 9 \/src\/a\.c:10:1$/);
    if (version === 5) assert.equal(frames(dwarf, 0x1014), deepestFrames);
    assert.deepEqual(
      dwarf.framesAt(0x1017)?.map(({ systemName }) => systemName),
      ['_Z7deepestv', 'inner', '_Z5outerv'],
    );
    assert.equal(dwarf.framesAt(0x1010)?.length, 2);
    assert.equal(dwarf.framesAt(0x1020)?.length, 1);
    assert.equal(dwarf.framesAt(0x105f)?.[0]?.function, 'other');
  });
}

test('padding with lines has no frames, and an address of no unit is not known', () => {
  const dwarf = open([program()]);
  assert.deepEqual(dwarf.framesAt(0x1040), []);
  assert.deepEqual(dwarf.framesAt(0x104f), []);
  for (const objectAddress of [0, 0xfff, 0x1060, 2 ** 52, -1, Number.NaN]) {
    assert.equal(dwarf.framesAt(objectAddress), undefined);
  }
});

test('addresses count from the image base, also of one above 2^53', () => {
  const imageBase = 0xffffffff81000000n;
  const { attributes } = program().root;
  const place: AttributeSpec[] = attributes.filter(([attribute]) => attribute !== Attribute.lowPc).slice();
  const text = imageBase + 0x1000n;
  const unit: UnitSpec = {
    root: {
      tag: Tag.compileUnit,
      attributes: [...place, [Attribute.lowPc, address, text]],
      children: [
        {
          tag: Tag.subprogram,
          attributes: [
            [Attribute.name, string, 'kernel_function'],
            [Attribute.lowPc, address, text],
            [Attribute.highPc, data1, 16],
          ],
        },
      ],
    },
  };
  const opcodes = lineSequence(text, [
    [1, 0, 5],
    [15, 0, 6],
  ]);
  const dwarf = open([unit], { '.debug_line': buildLineProgram({ opcodes }) }, imageBase);
  assert.equal(frames(dwarf, 0x1000), 'kernel_function 0 /src/a.c:5:0');
  assert.equal(frames(dwarf, 0x1001), 'kernel_function 0 /src/a.c:6:0');
  assert.equal(frames(dwarf, 0x1010), undefined);
});

test('abbreviations have any codes, and tables of any length', () => {
  for (const firstCode of [127, 16_380, 2 ** 32 - 3]) {
    assert.equal(frames(open([{ ...program(), firstCode }]), 0x1014), deepestFrames);
  }
  const shapes = Array.from({ length: 2_000 }, (_, shape): DieSpec => {
    const attributes: AttributeSpec[] = [[Attribute.name, string, 'variable']];
    for (let bit = 0; bit < 11; bit++) attributes.push([0x2000 + bit, (shape >> bit) % 2 === 0 ? data1 : data4, 0]);
    return { tag: 0x34, attributes };
  });
  const { root } = program();
  for (const firstCode of [1, 16_000]) {
    const dwarf = open([{ firstCode, root: { ...root, children: [...shapes, ...root.children!] } }]);
    assert.equal(frames(dwarf, 0x1014), deepestFrames);
  }
});

test('a DIE may be longer than what is read of it at first', () => {
  const name = 'long'.repeat(5_000);
  const longNamed: DieSpec = {
    tag: Tag.subprogram,
    attributes: [
      [Attribute.name, string, name],
      [Attribute.lowPc, address, 0x1000],
      [Attribute.highPc, data4, 16],
    ],
  };
  const attributes: AttributeSpec[] = [[Attribute.name, string, `${name}.c`], ...program().root.attributes.slice(1)];
  const dwarf = open([{ root: { tag: Tag.compileUnit, attributes, children: [longNamed] } }]);
  assert.equal(dwarf.framesAt(0x1000)?.[0]?.function, name);
});

test('a unit that is too large to stay in the kernel gives what a small one does', () => {
  const { root } = program();
  const large: DieSpec = { tag: 0x34, attributes: [[0x2000, Form.block4, new Uint8Array(1 << 21)]] };
  const name = 'long'.repeat(100);
  const longNamed: DieSpec = {
    tag: Tag.subprogram,
    attributes: [
      [Attribute.name, string, name],
      [Attribute.lowPc, address, 0x1040],
      [Attribute.highPc, data4, 16],
    ],
  };
  const dwarf = open([{ root: { ...root, children: [large, ...root.children!, longNamed] } }]);
  assert.equal(frames(dwarf, 0x1014), deepestFrames);
  assert.equal(dwarf.framesAt(0x1048)?.[0]?.function, name);
});

test('units that do not all stay in the kernel at once give what they do alone', () => {
  const { root } = program();
  const large: DieSpec = { tag: 0x34, attributes: [[0x2000, Form.block4, new Uint8Array(3 << 19)]] };
  const units = Array.from({ length: 8 }, (_, unit): UnitSpec => {
    const attributes: AttributeSpec[] = [
      [Attribute.name, string, `function${unit}`],
      [Attribute.lowPc, address, 0x2000 + unit * 0x100],
      [Attribute.highPc, data4, 0x100],
    ];
    return { root: { ...root, attributes, children: [large, { tag: Tag.subprogram, attributes }] } };
  });
  const dwarf = open(units);
  for (let round = 0; round < 16; round++) {
    const unit = (round * 5) % 8;
    assert.equal(dwarf.framesAt(0x2000 + unit * 0x100)?.[0]?.function, `function${unit}`);
  }
});

test('code that the linker discarded has no addresses', () => {
  for (const dead of [0n, 0xffffffffffffffffn, 0xfffffffffffffffen]) {
    const discarded: UnitSpec = {
      root: {
        tag: Tag.compileUnit,
        attributes: [
          [Attribute.name, string, 'discarded.c'],
          [Attribute.lowPc, address, dead],
          [Attribute.highPc, data4, 0x100000],
        ],
        children: [
          {
            tag: Tag.subprogram,
            attributes: [
              [Attribute.name, string, 'discarded'],
              [Attribute.lowPc, address, dead],
              [Attribute.highPc, data4, 0x100000],
            ],
          },
        ],
      },
    };
    const dwarf = open([discarded, program()]);
    assert.equal(frames(dwarf, 0x1014), deepestFrames);
    assert.equal(dwarf.framesAt(0), undefined);
    assert.equal(dwarf.framesAt(0x2000), undefined);
  }
});

test('names are found through specifications, in other units too', () => {
  const declaration: DieSpec = {
    tag: Tag.subprogram,
    attributes: [
      [Attribute.name, string, 'method'],
      [Attribute.linkageName, string, '_ZN1C6methodEv'],
      [Attribute.declarationLine, data1, 3],
    ],
  };
  const types: UnitSpec = {
    version: 4,
    root: { tag: Tag.partialUnit, attributes: [], children: [declaration] },
  };
  const offset = buildUnits(types).layouts[0]!.dies.get(declaration)!;
  const user: UnitSpec = {
    root: {
      tag: Tag.compileUnit,
      attributes: [
        [Attribute.lowPc, address, 0x1000],
        [Attribute.highPc, data4, 0x10],
      ],
      children: [
        {
          tag: Tag.subprogram,
          attributes: [
            [Attribute.specification, Form.refAddress, offset],
            [Attribute.declarationLine, data1, 20],
            [Attribute.lowPc, address, 0x1000],
            [Attribute.highPc, data4, 0x10],
          ],
        },
      ],
    },
  };
  assert.equal(frames(open([types, user]), 0x1008), '_ZN1C6methodEv 20 :0:0');
});

test('references that go in a circle cost the names of that function', () => {
  const first: { tag: number; attributes: AttributeSpec[] } = { tag: Tag.subprogram, attributes: [] };
  const second: DieSpec = { tag: Tag.subprogram, attributes: [[Attribute.abstractOrigin, ref4, first]] };
  first.attributes.push([Attribute.specification, ref4, second]);
  const unit = program();
  const circle: DieSpec = {
    tag: Tag.subprogram,
    attributes: [
      [Attribute.abstractOrigin, ref4, first],
      [Attribute.lowPc, address, 0x1040],
      [Attribute.highPc, data4, 0x10],
    ],
  };
  const dwarf = open([{ root: { ...unit.root, children: [...unit.root.children!, circle, first, second] } }]);
  assertFormatError(() => dwarf.framesAt(0x1040), 'E_DWARF_CYCLE', { section: '.debug_info', limit: 32 });
  assert.equal(frames(dwarf, 0x1014), deepestFrames);
});

test('units that .debug_aranges leaves out are found by their first DIE', () => {
  const aranges = new ByteWriter().u16(2).u32(0).u8(8, 0).u32(0).u64(0x9000, 0x10, 0, 0).finish();
  const listed: UnitSpec = { root: { tag: Tag.compileUnit, attributes: [[Attribute.name, string, 'listed.s']] } };
  const dwarf = open([listed, program()], {
    '.debug_aranges': new ByteWriter().u32(aranges.length).append(aranges).finish(),
  });
  assert.equal(dwarf.framesAt(0x9000), undefined);
  assert.equal(frames(dwarf, 0x1014), deepestFrames);
});

test('a unit whose first DIE says nothing of its code is found by its functions', () => {
  const unit = program();
  const attributes = unit.root.attributes.filter(
    ([attribute]) => attribute !== Attribute.lowPc && attribute !== Attribute.highPc,
  );
  const dwarf = open([{ root: { ...unit.root, attributes } }]);
  assert.equal(frames(dwarf, 0x1014), deepestFrames);
  assert.equal(dwarf.framesAt(0x2000), undefined);
});

test('a unit whose first DIE says that its code was discarded is not searched for functions', () => {
  const unit = program();
  const attributes = unit.root.attributes.map(
    (attribute): AttributeSpec => (attribute[0] === Attribute.lowPc ? [attribute[0], attribute[1], 0] : attribute),
  );
  assert.equal(open([{ root: { ...unit.root, attributes } }]).framesAt(0x1014), undefined);
});

test('an inlined call that names its sibling is stepped over, unless that is behind it', () => {
  const { root } = program();
  const next = root.children!.at(-1)!;
  const within: AttributeSpec[] = [
    [Attribute.name, string, 'within'],
    [Attribute.lowPc, address, 0x1050],
    [Attribute.highPc, data4, 4],
  ];
  for (const [isForward, expected] of [
    [true, 'other'],
    [false, 'within'],
  ] as const) {
    const attributes: AttributeSpec[] = [];
    const call: DieSpec = {
      tag: Tag.inlinedSubroutine,
      attributes,
      children: [{ tag: Tag.subprogram, attributes: within }],
    };
    attributes.push([Attribute.sibling, ref4, isForward ? next : call]);
    const dwarf = open([{ root: { ...root, children: [call, next] } }]);
    assert.equal(dwarf.framesAt(0x1050)?.[0]?.function, expected);
  }
});

test('of units that claim the same code the first answers', () => {
  const copy = program();
  const last = copy.root.children!.at(-1)!;
  const renamed = { ...last, attributes: [[Attribute.name, string, 'copy'] as const, ...last.attributes.slice(1)] };
  const second = { root: { ...copy.root, children: [...copy.root.children!.slice(0, -1), renamed] } };
  assert.equal(open([program(), second]).framesAt(0x1050)?.[0]?.function, 'other');
  assert.equal(open([second, program()]).framesAt(0x1050)?.[0]?.function, 'copy');
});

test('a unit without functions gives lines only: those are of an assembler', () => {
  const { attributes } = program().root;
  const dwarf = open([{ root: { tag: Tag.compileUnit, attributes } }]);
  assert.equal(dwarf.framesAt(0x1000), undefined);
  assert.deepEqual(dwarf.placeAt(0x1000), { file: '/src/a.c', line: 10, column: 1 });
  assert.equal(dwarf.placeAt(0x1060), undefined);
  assert.deepEqual(open([program()]).placeAt(0x1000), { file: '/src/a.c', line: 10, column: 1 });
});

test('a spoilt unit is named and costs that unit only', () => {
  const spoilt: UnitSpec = {
    root: {
      tag: Tag.compileUnit,
      attributes: [
        [Attribute.name, string, 'spoilt.c'],
        [Attribute.lowPc, address, 0x5000],
        [Attribute.highPc, data4, 0x10],
      ],
      children: [{ tag: Tag.subprogram, attributes: [[Attribute.name, Form.block1, new Uint8Array(3)]] }],
    },
  };
  const units = buildUnits(spoilt, program());
  const info = units.info.slice();
  // Length of the block: behind the end of the unit.
  info[info.subarray(0, units.layouts[1]!.start).lastIndexOf(3)] = 255;
  const dwarf = openDwarf(
    debugSections({
      '.debug_info': info,
      '.debug_abbrev': units.abbrev,
      '.debug_line': buildLineProgram({ opcodes: programLines }),
    }),
  )!;
  assertFormatError(() => dwarf.framesAt(0x5000), 'E_TRUNCATED', { section: '.debug_info' });
  assertFormatError(() => dwarf.framesAt(0x5001), 'E_TRUNCATED');
  assert.equal(frames(dwarf, 0x1014), deepestFrames);
  assert.equal(dwarf.faultyUnits, 1);
  assert.deepEqual(
    dwarf.faults.map(({ unitName, error }) => [unitName, error.code]),
    [['spoilt.c', 'E_TRUNCATED']],
  );
});

test('spoilt lines cost the lines', () => {
  const dwarf = open([program()], { '.debug_line': Uint8Array.of(200, 0, 0, 0, 5, 0) });
  assert.equal(frames(dwarf, 0x1014), '_Z7deepestv 69 :0:0 < inner 49 :51:3 < _Z5outerv 9 :11:3');
  assert.equal(dwarf.faults[0]?.error.code, 'E_DWARF_LENGTH');
});

test('a list of units that breaks off is told, with where', () => {
  const units = buildUnits(program());
  const dwarf = openDwarf(
    debugSections({
      '.debug_info': Buffer.concat([units.info, Uint8Array.of(0xff, 0xff, 0xff, 0)]),
      '.debug_abbrev': units.abbrev,
    }),
  )!;
  assert.equal(dwarf.framesAt(0x1000)?.length, 1);
  assert.equal(dwarf.faults[0]?.unitOffset, units.info.length);
  assert.equal(dwarf.faults[0]?.error.code, 'E_DWARF_LENGTH');
});

test('units of other versions and types have no code', () => {
  const type: UnitSpec = { ...program(), type: UnitType.partial };
  assert.equal(open([type]).framesAt(0x1000), undefined);
  const info = buildUnits(program()).info.slice();
  info[4] = 6;
  const dwarf = openDwarf(debugSections({ '.debug_info': info, '.debug_abbrev': Uint8Array.of(0) }))!;
  assert.equal(dwarf.framesAt(0x1000), undefined);
  assert.equal(dwarf.faults[0]?.error.code, 'E_DWARF_VERSION');
});

test('a file without debug information has no reader, a big-endian one is refused', () => {
  assert.equal(openDwarf(debugSections({})), undefined);
  assert.equal(openDwarf(debugSections({ '.debug_info': new Uint8Array(0) })), undefined);
  const sections = debugSections({ '.debug_info': new Uint8Array(11) }, { isLittleEndian: false });
  assertFormatError(() => openDwarf(sections), 'E_DWARF_ENDIAN');
});
