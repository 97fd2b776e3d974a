/**
 * A large profile in pieces. Most writers put samples first, and what they refer to behind them, so the bytes are read twice: for the
 * tables, which are in every piece, and then for the samples, a bounded number at a time.
 */
import type { ByteInput, Profile, ProfilePieces, WholeContext } from '../../../core/index.js';
import { FormatError, tableBytes } from '../../../core/index.js';
import { decodeProfile, decodeUpTo, tellOddities } from './decode.js';
import { ProfileDecoder } from './decoder.js';

export interface PieceSizes {
  /** What is larger, in bytes after decompression, comes in pieces: in memory samples take up to four times as much. */
  readonly wholeBytes: number;
  /** Of a piece's samples, at least. */
  readonly leastBytes: number;
  /** Who takes a piece goes through all of its tables: so its samples have this many times as many bytes as they. */
  readonly perTableByte: number;
  /** Of input between two looks at what it has become. */
  readonly sliceBytes: number;
}

const usualSizes: PieceSizes = {
  wholeBytes: 32 * 2 ** 20,
  leastBytes: 8 * 2 ** 20,
  perTableByte: 4,
  sliceBytes: 2 ** 20,
};

/** @throws FormatError, also while pieces are asked for: the same that the whole profile would give */
export async function decodeInPieces(
  input: ByteInput,
  context: WholeContext,
  sizes = usualSizes,
): Promise<Profile | ProfilePieces> {
  const again = input.again;
  if (again === undefined) return decodeProfile(input, context);
  const whole = await decodeUpTo(sizes.wholeBytes, input, context);
  if (whole !== undefined) return whole;
  const decoder = new ProfileDecoder(context.limits, 'tables');
  for await (const chunk of again().chunks()) decoder.push(chunk);
  decoder.end();
  const tables = finishSound(decoder);
  if (tables === undefined) return decodeProfile(again(), context);
  tellOddities(decoder, tables, context);
  return { pieces: pieces(again(), context, tables, decoder, sizes) };
}

/**
 * The profile without its samples; undefined where it has to be decoded whole: to say what is wrong first, in the order in which tables
 * are looked at, or for fields of samples that are not known, which belong to rows of the whole.
 */
function finishSound(decoder: ProfileDecoder): Profile | undefined {
  try {
    const tables = decoder.finish(false);
    return tables.unknown !== undefined || decoder.hasStringsBeyond(tables.strings.length) ? undefined : tables;
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

async function* pieces(
  input: ByteInput,
  context: WholeContext,
  tables: Profile,
  tablesDecoder: ProfileDecoder,
  { leastBytes, perTableByte, sliceBytes }: PieceSizes,
): AsyncGenerator<Profile, void, undefined> {
  const pieceBytes = Math.max(leastBytes, perTableByte * tableBytes(tables));
  const decoder = new ProfileDecoder(tablesDecoder.limits, 'samples');
  for await (const chunk of input.chunks()) {
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      decoder.push(chunk.subarray(at, at + sliceBytes));
      decoder.catchUp();
      if (decoder.sampleBytes >= pieceBytes) yield { ...tables, samples: decoder.takeSamples(tablesDecoder) };
    }
  }
  decoder.end();
  const samples = decoder.takeSamples(tablesDecoder);
  if (decoder.labelsOfBothKinds > 0) context.count('labels_of_both_kinds', decoder.labelsOfBothKinds);
  yield { ...tables, samples };
}
