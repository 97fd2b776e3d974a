/** A program with inlined calls as DWARF, for tests. */
import { Attribute, Form, Tag } from '../../core/formats/dwarf/constants.js';
import { type AttributeSpec, type DieSpec, lineSequence, type UnitSpec } from './dwarf.js';

const { address, data1, data2, data4, ref4, sectionOffset, string } = Form;

/**
 *     outer       0x1000 … 0x1040   line 10
 *       inner     0x1010 … 0x1020   line 50, called in line 11
 *         deepest 0x1014 … 0x1018   line 70, called in line 51
 *     padding     0x1040 … 0x1050
 *     other       0x1050 … 0x1060   line 80
 */
export const programLines = lineSequence(0x1000, [
  [0x10, 0, 10, 1],
  [4, 0, 50],
  [4, 0, 70, 9],
  [8, 0, 52],
  [0x20, 0, 12],
  [0x10, 0, 12],
  [0x10, 0, 80, 5],
]);

interface Names {
  readonly deepest: DieSpec;
  readonly inner: DieSpec;
  readonly outer: DieSpec;
}

/** Abstract instances. */
function abstractFunctions(): Names {
  const make = (name: string, linkageName: string | undefined, line: number): DieSpec => ({
    tag: Tag.subprogram,
    attributes: [
      [Attribute.name, string, name],
      ...(linkageName === undefined ? [] : [[Attribute.linkageName, string, linkageName] as const]),
      [Attribute.declarationLine, data1, line],
    ],
  });
  return {
    deepest: make('deepest', '_Z7deepestv', 69),
    inner: make('inner', undefined, 49),
    outer: make('outer', '_Z5outerv', 9),
  };
}

function call(origin: AttributeSpec, low: number, bytes: number, line: number, children?: DieSpec[]): DieSpec {
  return {
    tag: Tag.inlinedSubroutine,
    attributes: [
      origin,
      [Attribute.lowPc, address, low],
      [Attribute.highPc, data4, bytes],
      [Attribute.callFile, data1, 0],
      [Attribute.callLine, data1, line],
      [Attribute.callColumn, data1, 3],
    ],
    ...(children && { children }),
  };
}

/** One unit; its lines are at 0 of `.debug_line`. */
export function program(version = 5): UnitSpec {
  const { deepest, inner, outer } = abstractFunctions();
  const callOf = (origin: DieSpec) => [Attribute.abstractOrigin, ref4, origin] as const;
  return {
    version,
    root: {
      tag: Tag.compileUnit,
      attributes: [
        [Attribute.name, string, 'a.c'],
        [Attribute.compilationFolder, string, '/src'],
        [Attribute.lowPc, address, 0x1000],
        [Attribute.highPc, version < 4 ? address : data4, version < 4 ? 0x1060 : 0x60],
        [Attribute.statementList, version < 4 ? data4 : sectionOffset, 0],
      ],
      children: [
        {
          tag: Tag.subprogram,
          attributes: [callOf(outer), [Attribute.lowPc, address, 0x1000], [Attribute.highPc, data4, 0x40]],
          children: [call(callOf(inner), 0x1010, 0x10, 11, [call(callOf(deepest), 0x1014, 4, 51)])],
        },
        outer,
        inner,
        deepest,
        {
          tag: Tag.subprogram,
          attributes: [
            [Attribute.name, string, 'other'],
            [Attribute.lowPc, address, 0x1050],
            [Attribute.highPc, data2, 0x10],
          ],
        },
      ],
    },
  };
}
