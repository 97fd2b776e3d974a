import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openBinary } from '../../../core/binary/open.js';
import { type Profile, ProfileBuilder } from '../../../core/index.js';
import { buildGoBinary } from '../../../test/helpers/go-binary.js';
import { temporaryFolder, writeInto } from '../../../test/helpers/temporary.js';
import { FunctionFrames } from './function-frames.js';
import { findLoadAddress } from './load-address.js';

const LOAD_ADDRESS = 0x5570_1234_5000;

/** Three functions of 0x20 bytes, at lines 10, 20 and 30. */
function framesOf(t: TestContext): FunctionFrames {
  const { bytes } = buildGoBinary({
    layout: '1.26',
    positionIndependent: true,
    functions: ['main.a', 'main.b', 'main.c'].map((name, row) => ({
      name,
      file: '/src/main.go',
      lines: [[10 * (row + 1), 0x20]],
      stackDeltas: [[8, 0x20]],
    })),
  });
  const binary = openBinary(writeInto(temporaryFolder(t), 'app', bytes));
  return FunctionFrames.of(binary, binary.go!)!;
}

function profileOf(...named: readonly (readonly [address: number, name: string, line: number])[]): Profile {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'goroutine', unit: 'count' }] });
  for (const [address, name, line] of named) {
    builder.location({ address, lines: [{ function: builder.function({ name }), line }] });
  }
  return builder.finish();
}

test('the load address is the one that fits all names and lines', (t) => {
  const frames = framesOf(t);
  const at = (row: number, offset: number) => LOAD_ADDRESS + frames.go.entry(row) + offset;
  assert.equal(findLoadAddress(profileOf([at(0, 4), 'main.a', 10], [at(2, 9), 'main.c', 30]), frames), LOAD_ADDRESS);
  assert.equal(findLoadAddress(profileOf([at(0, 4), 'main.a', 10], [at(1, 9), 'main.c', 30]), frames), undefined);
  assert.equal(findLoadAddress(profileOf([at(0, 4), 'main.a', 11]), frames), undefined);
});

test('offsets from the entry of a function, and profiles without names, tell no load address', (t) => {
  const frames = framesOf(t);
  assert.equal(findLoadAddress(profileOf([4, 'main.a', 10]), frames), undefined);
  assert.equal(findLoadAddress(profileOf(), frames), undefined);
});
