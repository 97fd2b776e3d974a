/** Whatever the bytes, Go's function table gives frames of functions that hold the pc, or throws FormatError. */

import { readElf } from '../../core/formats/elf/file.js';
import { ElfImage } from '../../core/formats/elf/image.js';
import { FormatError } from '../../core/formats/errors.js';
import { openGoTable } from '../../core/formats/gopclntab/go-table.js';
import { memorySource } from '../helpers/elf.js';
import { buildGoBinary, type FunctionSpec, type GoBinarySpec } from '../helpers/go-binary.js';
import { type FuzzSeed, fuzz } from './mutate.js';

/** Functions of a spoilt table that are read one by one. */
const MAX_FUNCTIONS = 200;

function readAll(bytes: Uint8Array): void {
  const go = openGoTable(new ElfImage(readElf(memorySource(bytes))));
  if (go === undefined) return;
  let firstError: unknown;
  // A spoilt function must not keep the others from being read.
  const attempt = (read: () => void) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      firstError ??= error;
    }
  };
  for (let index = 0; index < Math.min(go.length, MAX_FUNCTIONS); index++) {
    const entry = go.entry(index);
    attempt(() => go.name(index));
    attempt(() => go.startLine(index));
    attempt(() => go.end(index));
    attempt(() => go.stackDeltas(index));
    attempt(() => go.stackExtent(index));
    for (const pc of [entry, entry + 5, entry + 20]) {
      const found = go.find(pc);
      if (found >= 0 && go.entry(found) > pc) throw new Error(`pc ${pc} found in function at ${go.entry(found)}`);
      attempt(() => go.frames(pc));
      attempt(() => {
        const rows = go.frameRows(Float64Array.of(pc))?.counts[0] ?? -1;
        const frames = rows < 0 ? rows : go.frames(pc).length;
        if (rows !== frames) throw new Error(`pc ${pc} has ${rows} rows and ${frames} frames`);
      });
      attempt(() => go.stackDelta(index, pc));
      for (const table of [0, 2, 4, 1000]) attempt(() => go.pcdata(index, table, pc));
    }
  }
  if (firstError !== undefined) throw firstError;
}

const functions: FunctionSpec[] = Array.from({ length: 6 }, (_, number) => ({
  name: `main.f${number}`,
  file: `/src/${number % 2}.go`,
  startLine: number * 10,
  lines: [
    [number * 10 + 1, 6],
    [number * 10 + 200, 10],
    [number * 10 + 2, 16],
  ],
  stackDeltas: [
    [0, 4],
    [300, 28],
  ],
  pcdata: {
    2: [
      [-1, 4],
      [0, 12],
      [1, 16],
    ],
  },
  inlineTree: [
    { name: 'main.inner', parentPc: 1, startLine: 7 },
    { name: 'main.f1', parentPc: 5, startLine: 8 },
  ],
  padding: number,
}));

const specs: Omit<GoBinarySpec, 'functions'>[] = [
  { layout: '1.2' },
  { layout: '1.13', positionIndependent: true, pointerBytes: 4 },
  { layout: '1.12', withoutSections: true },
  { layout: '1.16' },
  { layout: '1.18', positionIndependent: true },
  { layout: '1.20', withoutSections: true },
  { layout: '1.26' },
  { layout: '1.20', pointerBytes: 4 },
  { layout: '1.26', withoutSections: true, positionIndependent: true },
];

const seeds = specs.map((spec): FuzzSeed => {
  const { bytes, table, moduledata } = buildGoBinary({ functions, ...spec });
  return { bytes, hot: [table, table, moduledata, [table[0], table[0] + 72]] };
});

await fuzz({
  name: 'gopclntab',
  seeds,
  run: readAll,
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 1_000,
});
