/** A Profile as the bytes of a file. */
import { gzip, type Profile } from '../../../core/index.js';
import { encodePieces } from './encoder.js';

export interface EncodeOptions {
  readonly compression: 'gzip' | 'none';
  /** Of gzip: 1 … 9. */
  readonly level: number;
}

export async function encodeProfile(profile: Profile, options: EncodeOptions): Promise<readonly Uint8Array[]> {
  return options.compression === 'none' ? [...encodePieces(profile)] : gzip(encodePieces(profile), options.level);
}
