import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sourcePlace, sourceStack } from './source-places.js';
import { packageFolder } from './version.js';

/** Of a function written in source-places.ts: in `dist` it stands wherever the program's modules were put together. */
function ownFrame(): string {
  const { stack } = (() => {
    try {
      sourcePlace(null as never, 1, 1);
    } catch (error) {
      return error as Error;
    }
    throw new Error('took no file');
  })();
  return stack!.split('\n').find((line) => line.includes('sourcePlace'))!;
}

test('a frame of the program names the line that it was written at', () => {
  const source = join(packageFolder, 'core', 'cli', 'source-places.ts');
  const [, url, line] = /\((file:.*):(\d+)\)$/.exec(sourceStack(ownFrame())) ?? [];
  assert.equal(fileURLToPath(url!), source);
  assert.ok(Number(line) > 10 && Number(line) < 40, line);
});

test('what is not the program keeps its place', () => {
  assert.deepEqual(sourcePlace('/p/plugin.js', 7, 3), { file: '/p/plugin.js', line: 7 });
  const stack = 'Error: x\n    at f (file:///p/plugin.js:7:3)\n    at node:internal/main:1:2';
  assert.equal(sourceStack(stack), stack);
});
