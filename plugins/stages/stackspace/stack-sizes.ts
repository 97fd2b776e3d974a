/** What each stack takes at least, and how much of that its frames take: one pass over the tree of prefixes, root first. */
import type { Profile } from '../../../core/index.js';
import type { FrameSizes } from './frame-sizes.js';
import type { PrefixTree } from './prefix-tree.js';
import { keepsTwice, smallestStack } from './runtime-rules.js';

export interface StackSizes {
  /** By node: bytes of its frames down to it. */
  readonly used: Float64Array;
  /** By node: the smallest stack that the runtime's rules allow for it; never above the truth. */
  readonly smallest: Float64Array;
  /** By node: 1 where twice the smallest would stay over collections. */
  readonly mayBeTwice: Uint8Array;
  /** By node: frames as the runtime counts them, inlined calls one each. */
  readonly frames: Uint32Array;
}

export function stackSizes(profile: Profile, tree: PrefixTree, sizes: FrameSizes): StackSizes {
  const { lineStart } = profile.locations;
  const { length, parent, location, depth } = tree;
  const used = new Float64Array(length);
  const needed = new Float64Array(length);
  const smallest = new Float64Array(length);
  const mayBeTwice = new Uint8Array(length);
  const frames = new Uint32Array(length);
  for (let node = 0; node < length; node++) {
    if (depth[node] !== 0) {
      const caller = parent[node]!;
      const row = location[node]!;
      used[node] = used[caller]! + sizes.bytes[row]!;
      needed[node] = Math.max(needed[caller]!, used[caller]! + sizes.needed[row]!);
      frames[node] = frames[caller]! + Math.max(1, lineStart[row + 1]! - lineStart[row]!);
    }
    const usedWithRoot = used[node]! + sizes.bytesAboveRoot;
    smallest[node] = smallestStack(Math.max(usedWithRoot, needed[node]! + sizes.bytesAboveRoot));
    mayBeTwice[node] = keepsTwice(usedWithRoot, smallest[node]!) ? 1 : 0;
  }
  return { used, smallest, mayBeTwice, frames };
}
