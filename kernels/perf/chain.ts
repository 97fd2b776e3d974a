/** The recorded call chain of a sample. */
import { NO_ROW } from '../../plugins/codecs/perf/kernel-codes';
import { chainOf, Sample } from './sample';
import { pushFrame } from './stacks';
import { kernelSpace } from './threads';

/** Beyond, no user has memory, nor does the kernel have any (negative): the kernel took for a frame what was none. */
const CANONICAL: f64 = 9007199254740992.0;

// PERF_CONTEXT_*: words of a chain that say whose frames follow; the numbers from −4095 on.
const FIRST_CONTEXT: i64 = -4095;
const HYPERVISOR: i64 = -32;
const KERNEL: i64 = -128;
const USER: i64 = -512;
const GUEST: i64 = -2048;
const GUEST_KERNEL: i64 = -2176;
const GUEST_USER: i64 = -2560;

/** Of the last chain: whether frames of the kernel were left out. */
export let hasHiddenFrames: bool = false;
/** Whether the chain itself, not the sampled address alone, had frames of the user's code. */
export let hasUserChain: bool = false;

/**
 * Pushes its frames. The first one behind a context is what was interrupted, the others are return addresses. The sampled address stands
 * where there is no chain.
 */
export function pushChain(sample: Sample, userSpace: u32): void {
  const first = sample.isInUser ? userSpace : kernelSpace();
  const chain = chainOf(sample);
  let space = first;
  let frames: u32 = 0;
  let isCaller = false;
  hasHiddenFrames = false;
  hasUserChain = false;
  for (let index: u32 = 0; index < sample.chainLength; index++) {
    const word = load<i64>(chain + 8 * index);
    if (word >= FIRST_CONTEXT && word < 0) {
      // Others are what the kernel took for a frame.
      if (!isContext(word)) continue;
      space = word === USER ? userSpace : kernelSpace();
      isCaller = false;
      continue;
    }
    const address = f64(word);
    // A chain of frame pointers ends at 0 where all is well, and anywhere where one register is used for other things.
    if (word === 0 || abs(address) > CANONICAL || (space === userSpace && word < 0)) continue;
    frames++;
    if (space === NO_ROW) hasHiddenFrames = true;
    else pushFrame(space, address, isCaller);
    if (space === userSpace) hasUserChain = true;
    isCaller = true;
  }
  if (frames > 0) return;
  if (first === NO_ROW) hasHiddenFrames = true;
  else pushFrame(first, sample.ip, false);
}

function isContext(word: i64): bool {
  return (
    word === HYPERVISOR ||
    word === KERNEL ||
    word === USER ||
    word === GUEST ||
    word === GUEST_KERNEL ||
    word === GUEST_USER
  );
}
