/** Words of an ELF file: addresses, offsets and sizes are as wide as its class says. */
import type { ByteReader } from '../reader.js';

/** 4 in files of class ELFCLASS32, 8 in those of ELFCLASS64. */
export type WordBytes = 4 | 8;

export function readWord(reader: ByteReader, wordBytes: WordBytes): bigint {
  return wordBytes === 8 ? reader.u64() : BigInt(reader.u32());
}

/** A word that must be a length, count or offset into the file. @throws FormatError E_RANGE beyond 2^53 − 1 */
export function readSizeWord(reader: ByteReader, wordBytes: WordBytes): number {
  return wordBytes === 8 ? reader.size64() : reader.u32();
}
