/** Addresses of code to ask symbolizers for. */
import assert from 'node:assert/strict';
import type { Binary } from '../../core/binary/binary.js';
import { FileSource } from '../../core/binary/file-source.js';
import { findSection, readElf } from '../../core/formats/elf/file.js';
import { Budget } from '../../core/formats/limits.js';

/** At most `count`, evenly over `.text`, at an odd distance so that addresses within instructions come too. */
export function textAddresses(path: string, count: number): bigint[] {
  const source = new FileSource(path);
  const text = findSection(readElf(source, new Budget()), '.text');
  source.release();
  assert.ok(text, `${path} has no .text`);
  const step = Math.max(1, Math.ceil(text.size / count)) | 1;
  const addresses: bigint[] = [];
  for (let offset = step >>> 1; offset < text.size; offset += step)
    addresses.push(text.virtualAddress + BigInt(offset));
  return addresses;
}

/** The same over the segments of code, whatever the format. */
export function codeAddresses({ segments, imageBase }: Binary, count: number): bigint[] {
  return segments
    .filter(({ executable }) => executable)
    .flatMap(({ objectAddress, fileBytes }) => {
      const step = Math.max(1, Math.ceil(fileBytes / count)) | 1;
      return Array.from(
        { length: Math.floor(fileBytes / step) },
        (_, row) => imageBase + BigInt(objectAddress + row * step),
      );
    });
}
