/** The recorded call chain of a sample as location rows, leaf first. */
import type { PartBuilder } from './part-builder.js';
import type { SampleReader } from './sample.js';
import type { CodeSpace } from './space.js';
import { signedWord } from './words.js';

/** Beyond, no user has memory, nor does the kernel have any (negative): the kernel took for a frame what was none. */
const CANONICAL = 2 ** 53;

/** PERF_CONTEXT_*: words of a chain that say whose frames follow; the numbers from −4095 on. */
const FIRST_CONTEXT = -4095;
const USER_CONTEXT = -512;
/** HV, KERNEL, USER, GUEST, GUEST_KERNEL, GUEST_USER. Others are what the kernel took for a frame. */
const contexts: ReadonlySet<number> = new Set([-32, -128, USER_CONTEXT, -2048, -2176, -2560]);

export interface Chain {
  readonly stack: number[];
  /** Whether frames of the kernel were left out. */
  readonly hasHiddenFrames: boolean;
  /** Whether the chain itself, not the sampled address alone, has frames of the user's code. */
  readonly hasUserChain: boolean;
}

/**
 * The first frame behind a context is what was interrupted, the others are return addresses.
 * @param isInUser whether the user's code was interrupted: the sampled address stands where there is no chain
 * @param kernel absent: its frames are left out
 */
export function readChain(
  view: DataView,
  sample: SampleReader,
  isInUser: boolean,
  part: PartBuilder,
  user: CodeSpace,
  kernel: CodeSpace | undefined,
): Chain {
  const stack: number[] = [];
  let space = isInUser ? user : kernel;
  let hasHiddenFrames = false;
  let hasUserChain = false;
  let frames = 0;
  let isCaller = false;
  for (let word = 0; word < sample.chainLength; word++) {
    const address = signedWord(view, sample.chainStart + 8 * word);
    if (address >= FIRST_CONTEXT && address < 0) {
      if (!contexts.has(address)) continue;
      space = address === USER_CONTEXT ? user : kernel;
      isCaller = false;
      continue;
    }
    // A chain of frame pointers ends at 0 where all is well, and anywhere where one register is used for other things.
    if (address === 0 || Math.abs(address) > CANONICAL || (space === user && address < 0)) continue;
    frames++;
    if (space === undefined) hasHiddenFrames = true;
    else stack.push(part.location(space, address, isCaller));
    hasUserChain ||= space === user;
    isCaller = true;
  }
  if (frames > 0) return { stack, hasHiddenFrames, hasUserChain };
  space = isInUser ? user : kernel;
  if (space === undefined) return { stack, hasHiddenFrames: true, hasUserChain };
  return { stack: [part.location(space, sample.ip, false)], hasHiddenFrames, hasUserChain };
}
