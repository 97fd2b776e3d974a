/** The stacks of a goroutine profile as a tree of prefixes, with the goroutines on each. */
import { FormatError, halves, ItemError, type Profile, stringAt } from '../../../core/index.js';
import { PrefixTree } from './prefix-tree.js';

export interface GoroutineStacks {
  readonly tree: PrefixTree;
  /** By sample: the node of its whole stack. */
  readonly nodeOf: Uint32Array;
  /** By node: goroutines whose whole stack it is. */
  readonly own: Float64Array;
  /** By node: goroutines that have it in their stack. */
  readonly through: Float64Array;
  /** By node: 1 where it is the whole stack of a sample, also of one that counts 0 goroutines. */
  readonly isWhole: Uint8Array;
  /** By number of a root: a sample with the labels of all its stacks. */
  readonly labelsOf: readonly number[];
}

/** Names of the profiles that count goroutines: runtime/pprof's "goroutine", and "goroutineleak" of Go 1.26 and later. */
const countTypes: ReadonlySet<string> = new Set(['goroutine', 'goroutineleak']);

/** Place of the count among the sample types. @throws ItemError E_SAMPLE_TYPE for a profile that does not count goroutines */
export function countType({ sampleTypes, strings }: Profile): number {
  const names = sampleTypes.map(({ type }) => stringAt(strings, type));
  const index = names.findIndex((name) => countTypes.has(name));
  if (index >= 0) return index;
  const has = names.length === 0 ? 'no sample types' : names.map((name) => `"${name}"`).join(', ');
  throw new ItemError('E_SAMPLE_TYPE', `not a goroutine profile: it has ${has}, not "goroutine" or "goroutineleak"`);
}

/** Stacks of different labels share no node. @param type place of the count among the sample types */
export function goroutineStacks(profile: Profile, type: number): GoroutineStacks {
  const { samples } = profile;
  const { stackStart, stackLocations } = samples;
  const tree = new PrefixTree();
  const roots = new LabelRoots(profile, tree);
  const nodeOf = new Uint32Array(samples.length);
  for (let sample = 0; sample < samples.length; sample++) {
    let node = roots.of(sample);
    for (let at = stackStart[sample + 1]!; at-- > stackStart[sample]!; ) node = tree.child(node, stackLocations[at]!);
    nodeOf[sample] = node;
  }

  const own = new Float64Array(tree.length);
  const isWhole = new Uint8Array(tree.length);
  const words = halves(samples.values);
  for (let sample = 0; sample < samples.length; sample++) {
    const word = 2 * (sample * profile.sampleTypes.length + type);
    own[nodeOf[sample]!]! += exact((words[word + 1]! | 0) * 2 ** 32 + words[word]!);
    isWhole[nodeOf[sample]!] = 1;
  }
  const through = own.slice();
  for (let node = tree.length - 1; node >= 0; node--) {
    if (tree.depth[node] !== 0) through[tree.parent[node]!]! += through[node]!;
  }
  return { tree, nodeOf, own, through, isWhole, labelsOf: roots.samples };
}

function exact(count: number): number {
  if (Math.abs(count) <= Number.MAX_SAFE_INTEGER) return count;
  throw new FormatError('E_OVERFLOW', 'a sample of more goroutines than there can be', {
    got: count,
    limit: Number.MAX_SAFE_INTEGER,
  });
}

/** A root for each set of labels. */
class LabelRoots {
  /** The first sample of each root. */
  readonly samples: number[] = [];
  readonly #profile: Profile;
  readonly #tree: PrefixTree;
  readonly #rootOf = new Map<string, number>();

  constructor(profile: Profile, tree: PrefixTree) {
    this.#profile = profile;
    this.#tree = tree;
  }

  of(sample: number): number {
    const key = this.#key(sample);
    let root = this.#rootOf.get(key);
    if (root === undefined) {
      root = this.#tree.addRoot(this.samples.push(sample) - 1);
      this.#rootOf.set(key, root);
    }
    return root;
  }

  #key(sample: number): string {
    const { labelStart, labels } = this.#profile.samples;
    let key = '';
    for (let row = labelStart[sample]!; row < labelStart[sample + 1]!; row++) {
      key += `${labels.key[row]},${labels.str[row]},${labels.num[row]},${labels.numUnit[row]};`;
    }
    return key;
  }
}
