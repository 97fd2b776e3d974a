/** An executable as segments of a file that lie somewhere in memory, whatever its format. */
import type { ImageRange, ObjectImage } from './image.js';
import type { ByteSource } from './source.js';

/** A loaded piece with its place as an object address and in the file. */
export interface LoadedSegment extends ImageRange {
  readonly fileOffset: number;
  /** What is beyond `size` is zero. */
  readonly memoryBytes: number;
}

export interface SegmentImageParts {
  readonly source: ByteSource;
  readonly imageBase: bigint;
  readonly instructionQuantum: number | undefined;
  readonly sections: readonly ImageRange[];
  readonly segments: readonly LoadedSegment[];
}

/** One whose pointers are in the file as they are at `imageBase`. */
export class SegmentImage implements ObjectImage {
  readonly imageBase: bigint;
  readonly instructionQuantum: number | undefined;
  readonly sections: readonly ImageRange[];
  readonly segments: readonly LoadedSegment[];
  readonly #source: ByteSource;

  constructor({ source, imageBase, instructionQuantum, sections, segments }: SegmentImageParts) {
    this.#source = source;
    this.imageBase = imageBase;
    this.instructionQuantum = instructionQuantum;
    this.sections = sections;
    this.segments = [...segments].sort((a, b) => a.objectAddress - b.objectAddress || a.fileOffset - b.fileOffset);
  }

  bytesAt(objectAddress: number, length: number): Uint8Array {
    return segmentBytes(this.#source, this.segments, objectAddress, length);
  }

  loadedBytesAt(objectAddress: number, length: number): Uint8Array {
    return this.bytesAt(objectAddress, length);
  }
}

/** A view, at most `length`, shorter where the file-backed part of the segment ends, empty outside of all. */
export function segmentBytes(
  source: ByteSource,
  segments: readonly LoadedSegment[],
  objectAddress: number,
  length: number,
): Uint8Array {
  const segment = segments.find(
    ({ objectAddress: start, size }) => objectAddress >= start && objectAddress < start + size,
  );
  if (segment === undefined) return new Uint8Array(0);
  const into = objectAddress - segment.objectAddress;
  return source.read(segment.fileOffset + into, Math.min(length, segment.size - into), segment.name);
}
