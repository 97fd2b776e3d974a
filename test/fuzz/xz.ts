/** Whatever the bytes, the readers of xz and of the LZMA2 within give at most as much as they may, or throw FormatError. */
import { Lzma2Decoder } from '../../core/formats/compression/lzma2.js';
import { unxz } from '../../core/formats/compression/xz.js';
import { FormatError } from '../../core/formats/errors.js';
import { fuzz } from './mutate.js';

const MAX_BYTES = 2 ** 20;
/** Headers of the stream and of a block without sizes, as xz writes them. */
const CHUNKS_AT = 24;

function readAll(bytes: Uint8Array): void {
  // Checksums keep most mutants of a stream from its chunks, so these are read on their own too.
  const chunks = new Lzma2Decoder(bytes, CHUNKS_AT, MAX_BYTES, 'chunks');
  const outcomes = [() => chunks.decode(), () => unxz(bytes, MAX_BYTES, 'stream')].map((read) => {
    try {
      const { length } = read();
      if (length > MAX_BYTES) throw new Error(`${length} bytes`);
      return undefined;
    } catch (error) {
      return error;
    }
  });
  const error = outcomes.find((outcome) => outcome !== undefined && !(outcome instanceof FormatError)) ?? outcomes[1];
  if (error !== undefined) throw error;
}

/** `xz -9` of "the quick brown fox N " for N to 39, and `xz --check=crc32 --lzma2=lc=1,lp=2,pb=1` of the same. */
const seeds = [
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4AONAHFdADoaCM52x+Xp1gc0w9EOv85V4aq94NU/yQ3cVj08wXMFWrf4XUk+gsjJtH0DrCAqxiIH7xTCSdiATEZwcRCmJcOlIRSy9xI9QBfukmJXj/X1ga8JSTFIOJ4aDFAE0mlbykGK8/Wr/+a3WQu6ss2TRmTsAAAAAJQdLtERwKc2AAGNAY4HAADmLdJUscRn+wIAAAAABFla',
  '/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AONAHVAADoaCQckkW5uKn8p1749zvNO13zT/OBE2LslPXYYt3sN+rNSKVYfyDlG51JiwW51miLsbkA4vRMHHgcIVhaaJnWubMt9tp2r79g2V3I0kiZRbhnoYhC4Zabg+fUYtN3KdFUmAFscAkpiPB8YST8lTMwnafHnfQAAAAAv3Ht1AAGNAY4HAADmLdJUPjANiwIAAAAAAVla',
].map((base64) => ({ bytes: new Uint8Array(Buffer.from(base64, 'base64')) }));

await fuzz({ name: 'xz', seeds, run: readAll, isAllowed: (error) => error instanceof FormatError, maxMs: 1_000 });
