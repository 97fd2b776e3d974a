/** The frames of a binary's functions, or why there are none. */
import { isBeforeGo116 } from '../../../core/binaries.js';
import { type Binary, FormatError } from '../../../core/index.js';
import { FunctionFrames } from './function-frames.js';

/** Frames of binaries, for as long as these are in use. */
export class FrameCache {
  readonly #frames = new WeakMap<Binary, FunctionFrames | Unusable>();

  of(binary: Binary): FunctionFrames | Unusable {
    let frames = this.#frames.get(binary);
    if (frames === undefined) {
      frames = openFrames(binary);
      this.#frames.set(binary, frames);
    }
    return frames;
  }
}

/** Why there are no frames: machine-readable, and for a person. */
export interface Unusable {
  readonly reason: string;
  readonly message: string;
}

function openFrames(binary: Binary): FunctionFrames | Unusable {
  const { path } = binary;
  try {
    if (binary.go === undefined) return { reason: 'no_go_table', message: `${path}: no Go function table` };
    if (isBeforeGo116(binary.go)) {
      return { reason: 'go_version', message: `${path}: stacks are known of Go 1.16 … 1.27, this is of 1.2 … 1.15` };
    }
    return (
      FunctionFrames.of(binary, binary.go) ?? {
        reason: 'architecture',
        message: `${path}: frames are known in amd64 and arm64 code only`,
      }
    );
  } catch (error) {
    if (error instanceof FormatError) return { reason: 'spoilt_go_table', message: `${path}: ${error.describe()}` };
    throw error;
  }
}
