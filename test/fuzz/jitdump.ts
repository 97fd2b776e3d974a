/** Whatever the bytes, a jitdump gives functions that lie within it, or is refused by FormatError. */
import { bytesSource } from '../../core/formats/bytes-source.js';
import { FormatError } from '../../core/formats/errors.js';
import { findJitLine, readJitLines } from '../../core/formats/jitdump/jit-lines.js';
import { readJitdump } from '../../core/formats/jitdump/jitdump.js';
import { Budget } from '../../core/formats/limits.js';
import { madeCode } from '../../plugins/codecs/perf/made-code.js';
import { overlay } from '../../plugins/codecs/perf/process-space.js';
import { jitdump, jitLines, jitLoad, jitMove, jitRecord, jitUnwinding } from '../helpers/assemble-jitdump.js';
import { fuzz } from './mutate.js';

function readAll(bytes: Uint8Array): void {
  const source = bytesSource(bytes, 'dump');
  const dump = readJitdump(source, new Budget());
  for (const code of dump.codes) {
    for (const range of [code, code.lines, code.ehFrame]) {
      if (range === undefined) continue;
      const { fileOffset, size } = range;
      if (fileOffset < 40 || fileOffset + size > bytes.length) throw new Error(`${size} bytes at ${fileOffset}`);
    }
  }
  for (const eras of madeCode([{ path: '/jit.dump', dump }]).values()) {
    let merged = overlay([], []);
    for (const { mappings } of eras) merged = overlay(merged, mappings);
    const overlap = merged.findIndex(({ start }, at) => at > 0 && start < merged[at - 1]!.end);
    if (overlap >= 0) throw new Error(`functions at ${merged[overlap]!.start} overlap`);
  }
  for (const code of dump.codes) {
    const lines = readJitLines(source, code, dump.lineShift);
    for (const { codeOffset } of lines) {
      if (findJitLine(lines, codeOffset)?.codeOffset !== codeOffset) throw new Error(`no line at ${codeOffset}`);
    }
  }
}

const code = { time: 1, address: 0x1000, size: 64, name: 'one', number: 1 };
const places = jitLines(0x1000, [
  [0x1000, 1, '/a.lang'],
  [0x1010, 2, Uint8Array.of(0xff)],
]);
const seeds = [
  jitdump([jitLoad(code), jitLoad({ ...code, address: 0x1040, number: 2 }), jitMove(3, 0x1000, 0x2000, 1)]),
  jitdump(
    [jitUnwinding(new Uint8Array(40)), places, jitLoad(code), jitLoad({ ...code, time: 9 }), jitRecord(3, 9, [])],
    1,
  ),
].map((bytes) => ({ bytes }));

await fuzz({ name: 'jitdump', seeds, run: readAll, isAllowed: (error) => error instanceof FormatError, maxMs: 1_000 });
