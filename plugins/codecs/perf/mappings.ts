/** MMAP and MMAP2: what a process mapped. Source: Linux include/uapi/linux/perf_event.h */
import { ByteReader, FormatError } from '../../../core/index.js';
import { hex, untilNul } from './features.js';
import type { Processes } from './processes.js';
import { Misc, RecordType } from './records.js';
import { KERNEL_IMAGE } from './space.js';
import { signedWord } from './words.js';

const section = 'mmap record';
const PROT_EXEC = 4;

/**
 * @param view the record from `start` on
 * @returns whether there was room for it
 * @throws FormatError E_TRUNCATED, E_PERF_MMAP
 */
export function applyMmap(
  view: DataView,
  start: number,
  size: number,
  processes: Processes,
  buildIds: ReadonlyMap<string, string>,
): boolean {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + start, size);
  const reader = new ByteReader(bytes, section);
  const isSecond = reader.u32() === RecordType.mmap2;
  const misc = reader.u16();
  reader.skip(2); // size
  const pid = reader.i32();
  reader.skip(4); // tid
  const [addressAt, lengthAt] = [reader.offset, reader.offset + 8];
  reader.skip(16);
  const fileOffset = reader.u64();
  let buildId = '';
  let isCode = (misc & Misc.mmapData) === 0;
  if (isSecond) {
    const identity = reader.take(24);
    if ((misc & Misc.mmapBuildId) !== 0) buildId = hex(identity.subarray(4, 4 + Math.min(20, identity[0]!)));
    isCode &&= (reader.u32() & PROT_EXEC) !== 0;
    reader.skip(4); // flags
  }
  const name = untilNul(bytes.subarray(reader.offset));
  const address = signedWord(view, start + addressAt);
  const length = signedWord(view, start + lengthAt);
  const isKernel = pid === -1 || (misc & Misc.cpuMode) === Misc.kernel;
  // The kernel's image may be said to begin at 0 and to have all of the address space: it tells nothing.
  if (isKernel && address === 0) return true;
  const end = address + length;
  if (length <= 0 || Math.abs(address) > 2 ** 53 || Math.abs(end) > 2 ** 53) {
    throw new FormatError('E_PERF_MMAP', 'mapping of no canonical addresses', { section, got: address, limit: end });
  }
  const space = isKernel ? processes.kernel : processes.space(pid);
  const filename = KERNEL_IMAGE.exec(name)?.[0] ?? name;
  if (buildId === '') buildId = buildIds.get(filename) ?? '';
  return space.cover(
    address,
    end,
    isCode || isKernel ? { start: address, end, fileOffset, filename, buildId } : undefined,
  );
}
