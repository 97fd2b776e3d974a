/**
 * Source lines of one function of a jitdump: entries of JIT_CODE_DEBUG_INFO, each for the code from its address up to that of the next.
 * Source: Linux tools/perf/Documentation/jitdump-specification.txt, tools/perf/util/jitdump.h. Not taken: what the specification calls a
 * "column discriminator", which is a column in some dumps and none in others.
 */
import { FormatError } from '../errors.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';
import type { JitCode } from './jitdump.js';

export interface JitLine {
  /** Bytes into the code. */
  readonly codeOffset: number;
  readonly line: number;
  readonly file: string;
}

const section = 'jitdump lines';
/** A name of one such byte stands for that of the entry before. */
const SAME_NAME = 0xff;

const utf8 = new TextDecoder();

/**
 * @param lineShift the dump's
 * @returns in order of address; of several at one address the last is what holds there
 * @throws FormatError E_JITDUMP for a place outside of the code, E_TRUNCATED, E_LIMIT
 */
export function readJitLines(source: ByteSource, { lines, address, size }: JitCode, lineShift: number): JitLine[] {
  if (lines === undefined) return [];
  const reader = new ByteReader(source.read(lines.fileOffset, lines.size, section), section);
  const codeStart = address + BigInt(lineShift);
  const found: JitLine[] = [];
  let file = '';
  for (let entry = 0n; entry < lines.count; entry++) {
    const offset = lines.fileOffset + reader.offset;
    const codeOffset = reader.u64() - codeStart;
    const line = reader.u32();
    reader.skip(4); // discriminator
    const name = reader.cstring();
    if (name.length !== 1 || name[0] !== SAME_NAME) file = utf8.decode(name);
    // One at the end of the code says that it ends there.
    if (codeOffset < 0n || codeOffset > BigInt(size)) {
      throw new FormatError('E_JITDUMP', 'line outside of the code', { section, offset, got: codeOffset, limit: size });
    }
    found.push({ codeOffset: Number(codeOffset), line, file });
  }
  return found.sort((a, b) => a.codeOffset - b.codeOffset);
}

/** @returns undefined before the first */
export function findJitLine(lines: readonly JitLine[], codeOffset: number): JitLine | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lines[middle]!.codeOffset <= codeOffset) low = middle + 1;
    else high = middle;
  }
  return lines[low - 1];
}
