import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readJitdump } from '../../../core/binaries.js';
import { Budget, bytesSource } from '../../../core/index.js';
import { type JitFunction, jitdump, jitLoad, jitMove } from '../../../test/helpers/assemble-jitdump.js';
import { madeCode } from './made-code.js';
import { ProcessSpace } from './process-space.js';
import type { CodeMapping } from './space.js';

const mapping = (start: number, end: number, filename: string): CodeMapping => ({
  start,
  end,
  filename,
  fileOffset: 0n,
  buildId: '',
});
const made = (records: readonly Uint8Array[], flags = 0) =>
  madeCode([{ path: '/jit-7.dump', dump: readJitdump(bytesSource(jitdump(records, flags), 'dump'), new Budget()) }]);
const load = (name: string, time: number, address: number, size = 16): JitFunction => ({ name, time, address, size });
/** Files by address; a function made at run time by its offset in the dump. */
const at = (space: ProcessSpace, address: number) => {
  const found = space.find(address);
  return found && `${found.filename}+${found.fileOffset + BigInt(address - found.start)}`;
};

test('a function is there until another comes to its place', () => {
  const [first, second] = [jitLoad(load('a', 10, 0x1000)), jitLoad(load('bb', 20, 0x1008))];
  const [inFirst, inSecond] = [40 + first.length - 16, 40 + first.length + second.length - 16];
  const space = new ProcessSpace(made([first, second]).get(7));
  space.cover(0x1000, 0x2000, mapping(0x1000, 0x2000, '//anon'));
  space.advance(5);
  assert.equal(at(space, 0x1008), `/jit-7.dump+${inFirst + 8}`);
  assert.equal(at(space, 0x1010), '//anon+16');
  const before = space.mappings;
  space.advance(19);
  assert.equal(space.mappings, before);
  space.advance(20);
  assert.equal(at(space, 0x1000), `/jit-7.dump+${inFirst}`);
  assert.equal(at(space, 0x1008), `/jit-7.dump+${inSecond}`);
  assert.notEqual(space.mappings, before);
});

test('code of files is never taken for code that was made; memory may be protected anew', () => {
  const space = new ProcessSpace(made([jitLoad(load('a', 10, 0x1000))]).get(7));
  space.advance(0);
  space.cover(0x1000, 0x2000, mapping(0x1000, 0x2000, '//anon'));
  assert.match(at(space, 0x1000)!, /jit-7/);
  space.cover(0x1000, 0x1008, mapping(0x1000, 0x1008, '/lib/x.so'));
  assert.equal(at(space, 0x1000), '/lib/x.so+0');
  assert.match(at(space, 0x1008)!, /jit-7/);
});

test('a child has what its parent made; a move brings code to a place, at which the processor’s clock tells no time', () => {
  const parent = new ProcessSpace(made([jitLoad(load('a', 10, 0x1000)), jitMove(30, 0x1000, 0x3000, 0)], 1).get(7));
  parent.advance(0);
  const child = parent.fork(undefined);
  assert.match(at(child, 0x1000)!, /jit-7/);
  assert.match(at(child, 0x3000)!, /jit-7/);
});

test('at each time and address the function is the last that came there, where its place was used again', () => {
  const placement = fc.record({ address: fc.nat(60), size: fc.integer({ min: 1, max: 20 }) });
  fc.assert(
    fc.property(fc.array(placement, { minLength: 1, maxLength: 14 }), (placements) => {
      const functions = placements.map(({ address, size }, row) => load(`f${row}`, row + 1, address, size));
      const space = new ProcessSpace(made(functions.map((one) => jitLoad(one))).get(7));
      for (let time = 1; time <= functions.length; time++) {
        space.advance(time);
        for (let address = 0; address < 81; address++) {
          const holds = ({ address: start, size }: JitFunction) =>
            address >= Number(start) && address < Number(start) + size;
          const last = functions.findLastIndex((one) => one.time <= time && holds(one));
          if (last < 0) continue;
          const found = space.find(address)!;
          assert.equal(nameAt(functions, Number(found.fileOffset) + address - found.start), `f${last}`);
        }
        const { mappings } = space;
        assert.ok(
          mappings.every(({ start, end }, row) => start < end && (row === 0 || mappings[row - 1]!.end <= start)),
        );
      }
    }),
    { numRuns: 300 },
  );
});

/** The function whose code has a place of the dump. */
function nameAt(functions: readonly JitFunction[], offset: number): string | undefined {
  let start = 40;
  for (const one of functions) {
    const end = start + jitLoad(one).length;
    if (offset >= end - one.size && offset < end) return one.name;
    start = end;
  }
  return undefined;
}
