/**
 * The head of a perf.data file: where its parts lie. Source: tools/perf/Documentation/perf.data-file-format.txt
 *
 *     file:  header 104 | ids | attributes | data: records | sections of features
 *     pipe:  header 16  | records, attributes and features among them
 */
import { ByteReader, FormatError } from '../../../core/index.js';
import { FEATURE_BITS, Feature } from './records.js';

const section = 'perf.data header';
const MAGIC = 'PERFILE2';
const SWAPPED_MAGIC = '2ELIFREP';
const OLD_MAGIC = 'PERFFILE';
export const FILE_HEADER_BYTES = 104;
export const PIPE_HEADER_BYTES = 16;
/** Of the set of features in the header. */
const FEATURES_AT = 72;

export interface Range {
  readonly offset: number;
  readonly size: number;
}

export interface FileLayout {
  /** Bytes of one entry of `attributes`: the attribute and the range of its ids. */
  readonly attributeBytes: number;
  readonly attributes: Range;
  /** Size 0: the recording was not ended properly, records go on to the end. */
  readonly data: Range;
  /** Numbers of the features that have a section behind the data, in the order of these. */
  readonly features: readonly number[];
}

/** @returns 1 for the bytes of a perf.data file, of either byte order */
export function looksLikePerf(head: Uint8Array): number {
  const magic = magicOf(head);
  return magic === MAGIC || magic === SWAPPED_MAGIC || magic === OLD_MAGIC ? 1 : 0;
}

const magicOf = (head: Uint8Array): string => String.fromCharCode(...head.subarray(0, 8));

/**
 * @param head at least the first FILE_HEADER_BYTES, or all there is
 * @returns 'pipe' for a recording that was written to a pipe
 * @throws FormatError E_PERF_MAGIC, E_PERF_BYTE_ORDER, E_PERF_VERSION, E_PERF_FOLDER, E_PERF_HEADER, E_TRUNCATED, E_RANGE
 */
export function readLayout(head: Uint8Array): FileLayout | 'pipe' {
  const magic = magicOf(head);
  if (magic === SWAPPED_MAGIC) {
    throw new FormatError('E_PERF_BYTE_ORDER', 'only little-endian recordings are read', { section, offset: 0 });
  }
  if (magic === OLD_MAGIC) throw new FormatError('E_PERF_VERSION', 'version 1 is not read', { section, offset: 0 });
  if (magic !== MAGIC) throw new FormatError('E_PERF_MAGIC', 'no perf.data file', { section, offset: 0 });
  const reader = new ByteReader(head, section, 8);
  const headerBytes = reader.size64();
  if (headerBytes === PIPE_HEADER_BYTES) return 'pipe';
  if (headerBytes !== FILE_HEADER_BYTES) {
    throw new FormatError('E_PERF_HEADER', 'size of the header', { section, offset: 8, got: headerBytes });
  }
  const attributeBytes = reader.size64();
  const range = (): Range => ({ offset: reader.size64(), size: reader.size64() });
  const attributes = range();
  const data = range();
  range(); // event types: not written any more
  const bits = reader.take(FEATURE_BITS / 8);
  const features = Array.from({ length: FEATURE_BITS }, (_, bit) => bit).filter(
    (bit) => (bits[bit >>> 3]! & (1 << (bit & 7))) !== 0,
  );
  if (features.includes(Feature.folder)) {
    const place = { section, offset: FEATURES_AT };
    throw new FormatError(
      'E_PERF_FOLDER',
      'its samples are in files beside it, data.0 and so on (perf record --threads): not read; ' +
        '`perf inject -i FOLDER -o - > one.data` makes one file of them',
      place,
    );
  }
  if (attributeBytes < 64 + 16 || attributes.size % attributeBytes !== 0) {
    throw new FormatError('E_PERF_HEADER', 'size of an attribute', { section, offset: 16, got: attributeBytes });
  }
  if (attributes.offset + attributes.size > data.offset) {
    throw new FormatError('E_PERF_HEADER', 'attributes lie behind the records', {
      section,
      offset: 24,
      got: attributes.offset + attributes.size,
      limit: data.offset,
    });
  }
  return { attributeBytes, attributes, data, features };
}
