import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jitdump, jitLines, jitLoad, jitUnwinding } from '../../test/helpers/assemble-jitdump.js';
import { ehFrame } from '../../test/helpers/cfi.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { openBinary } from './open.js';
import { SymbolChain } from './symbols/chain.js';
import { openTables } from './unwind/table-rows.js';
import { NO_RULE, UnwindTable } from './unwind/unwind-table.js';

/** What a program writes of 13 bytes that push once: it counts from behind the code, at the next multiple of 8. */
const unwinding = jitUnwinding(ehFrame([{ start: 0, size: 13, instructions: [0x41, 0x0e, 16] }], {}, 16).bytes);
const first = { time: 1, address: 0x5000, size: 13, name: 'first' };
const second = { time: 2, address: 0x6000, size: 32, name: 'second' };
const spoiltLines = jitLines(0x6000, [[0x7000, 1, 'far']]);
const dump = jitdump([
  jitLines(0x5000, [[0x5000, 4, '/made.lang']]),
  unwinding,
  jitLoad(first),
  spoiltLines,
  jitLoad(second),
  unwinding,
  jitLoad({ ...first, name: 'third' }),
]);

/** Object address of a function: its bytes are behind its name. */
const codeOf = (name: string) => Buffer.from(dump).indexOf(`${name}\0`) + name.length + 1;

test("each function of a jitdump is unwound by its own table, at its place in the dump's bytes", (t) => {
  const binary = openBinary(writeInto(temporaryFolder(t), 'jit-7.dump', dump));
  const { registers, tables } = openTables(binary);
  assert.equal(tables.length, 2);
  const { sectionsAt } = binary.frames;
  assert.ok(sectionsAt);
  for (const name of ['first', 'second', 'third']) {
    const start = codeOf(name);
    const sections = sectionsAt(start);
    assert.equal(sectionsAt(start + 1), sections, 'read once');
    assert.equal(sections.length, name === 'second' ? 0 : 1);
    for (const section of sections) {
      const table = new UnwindTable(section, registers);
      assert.deepEqual([table.start(0), table.end(0)], [start, start + 13]);
      assert.ok(table.find(start + 12) !== NO_RULE && table.find(start) !== table.find(start + 1));
    }
  }
  assert.deepEqual(sectionsAt(0), []);
  binary.release();
});

test('a function whose lines are spoilt has its name, and the fault is told', (t) => {
  const binary = openBinary(writeInto(temporaryFolder(t), 'jit-7.dump', dump));
  const chain = new SymbolChain(binary, (name) => name);
  const placeOf = (name: string) => {
    const frame = chain.lookup(codeOf(name)).frames?.[0];
    return frame && `${frame.function} ${frame.file}:${frame.line}`;
  };
  assert.deepEqual(['first', 'second', 'third'].map(placeOf), ['first /made.lang:4', 'second :0', 'third :0']);
  assert.equal(chain.faults.length, 1);
  assert.match(chain.faults[0]!, /^jitdump lines\+0x[0-9a-f]+: line outside of the code/);
  assert.deepEqual(chain.gives('jitdump'), ['lines']);
  assert.deepEqual(chain.lookup(3), { frames: undefined, reason: 'no_function' });
  binary.release();
});
