import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { buildGoBinary } from '../../test/helpers/go-binary.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import type { Binary } from './binary.js';
import { diffFrames } from './frames-diff.js';
import { openBinary } from './open.js';

type Drawn = readonly [name: string, frameBytes: number, line?: number];

function binaryWith(t: TestContext, goroot: string, functions: readonly Drawn[]): Binary {
  const { bytes } = buildGoBinary({
    functions: functions.map(([name, frameBytes, startLine = 1]) => ({
      name,
      file: `${goroot}/app/main.go`,
      startLine,
      lines: [[startLine, 0x10]],
      stackDeltas: [[frameBytes, 0x10]],
    })),
  });
  return openBinary(writeInto(temporaryFolder(t), 'app', bytes));
}

const diff = (t: TestContext, before: readonly Drawn[], after: readonly Drawn[]) =>
  diffFrames(binaryWith(t, '/usr/lib/go', before), binaryWith(t, '/opt/go', after));

test('functions of one name are compared, most grown first', (t) => {
  const before: Drawn[] = [
    ['main.a', 8],
    ['main.b', 8],
    ['main.c', 80],
    ['main.d', 8],
  ];
  const after: Drawn[] = [
    ['main.a', 16],
    ['main.b', 512],
    ['main.c', 8],
    ['main.d', 8],
  ];
  assert.deepEqual(diff(t, before, after), {
    changed: [
      { function: 'main.b', was: ['main.b'], before: 8, after: 512 },
      { function: 'main.a', was: ['main.a'], before: 8, after: 16 },
      { function: 'main.c', was: ['main.c'], before: 80, after: 8 },
    ],
    same: 1,
    gone: 0,
    added: 0,
  });
});

test('functions that share a name count by their largest frame', (t) => {
  const { changed } = diff(
    t,
    [
      ['main.f', 104],
      ['main.f', 40],
    ],
    [
      ['main.f', 24],
      ['main.f', 120],
    ],
  );
  assert.deepEqual(changed, [{ function: 'main.f', was: ['main.f'], before: 104, after: 120 }]);
});

test('a closure that got another name is found by its place in the source', (t) => {
  const { changed, gone, added } = diff(
    t,
    [
      ['main.main.inner.func6', 24, 40],
      ['main.other.inner.func1', 32, 40],
      ['main.main.func2', 8, 50],
    ],
    [
      ['main.inner.func1', 64, 40],
      ['main.main.func2', 8, 50],
    ],
  );
  assert.deepEqual(changed, [
    { function: 'main.inner.func1', was: ['main.main.inner.func6', 'main.other.inner.func1'], before: 32, after: 64 },
  ]);
  assert.deepEqual([gone, added], [0, 0]);
});

test('functions of other names are not matched by their place, and are counted', (t) => {
  assert.deepEqual(diff(t, [['main.old', 8, 40]], [['main.new', 64, 40]]), { changed: [], same: 0, gone: 1, added: 1 });
});
