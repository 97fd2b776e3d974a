/** A Profile as the bytes of a file. */
import { gzip, type Profile } from '../../../core/index.js';
import { encodePieces } from './encoder.js';

export interface EncodeOptions {
  readonly compression: 'gzip' | 'none';
  /** Of gzip: 1 … 9. */
  readonly level: number;
}

/** Of this thread, between one profile and the next: memory that is new costs as much as a copy. */
let spareRooms: Uint8Array[] = [];

export async function encodeProfile(profile: Profile, options: EncodeOptions): Promise<readonly Uint8Array[]> {
  if (options.compression === 'none') return [...encodePieces(profile)];
  const rooms = spareRooms;
  // Another profile may be encoded before this one is done.
  spareRooms = [];
  const pieces = await gzip(encodePieces(profile, rooms), options.level);
  spareRooms = rooms;
  return pieces;
}
