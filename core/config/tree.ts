/**
 * A pipeline file as values with places: what `yaml.ts` reads, `expand.ts` fills in, and every check walks. Own nodes rather
 * than the YAML library's, since a value keeps where it was written *and* what its relative paths start from, also after it
 * came in through a parameter.
 */

/** A place in a file; 1-based. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly place: Place;
  /** Whole numbers are bigint only beyond ±(2^53 − 1), where a number would not be exact. */
  readonly value: string | number | bigint | boolean | null;
  /** Absolute folder that a relative path in this value starts from: the file's own, or the current one for `--set`. */
  readonly base: string;
  /** The whole value is that of an environment variable. */
  readonly fromEnvironment?: true;
  /** The value could not be told (an unset parameter): already reported, so nothing more is said of it. */
  readonly unknown?: true;
}

export interface MapEntry {
  readonly keyPlace: Place;
  readonly value: ConfigNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly place: Place;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export interface ListNode {
  readonly kind: 'list';
  readonly place: Place;
  readonly items: readonly ConfigNode[];
}

export type ConfigNode = ScalarNode | MapNode | ListNode;

/** Plain values of a tree, maps without prototype: a key like "__proto__" or "constructor" is data as any other. */
export function toPlain(node: ConfigNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toPlain);
    case 'map': {
      const plain: Record<string, unknown> = Object.create(null);
      for (const [key, entry] of node.entries) plain[key] = toPlain(entry.value);
      return plain;
    }
  }
}

/** The node at a path of keys and indexes; undefined where the path leaves the tree. */
export function nodeAt(root: ConfigNode, path: readonly string[]): ConfigNode | undefined {
  let node: ConfigNode | undefined = root;
  for (const step of path) {
    if (node?.kind === 'map') node = node.entries.get(step)?.value;
    else if (node?.kind === 'list') node = node.items[Number(step)];
    else return undefined;
  }
  return node;
}

/** Steps of a JSON pointer (RFC 6901), as schema errors give them. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A tree with every scalar replaced by what `change` gives for it. */
export function mapScalars(node: ConfigNode, change: (scalar: ScalarNode) => ScalarNode): ConfigNode {
  switch (node.kind) {
    case 'scalar':
      return change(node);
    case 'list':
      return { ...node, items: node.items.map((item) => mapScalars(item, change)) };
    case 'map': {
      const entries = new Map<string, MapEntry>();
      for (const [key, entry] of node.entries) {
        entries.set(key, { keyPlace: entry.keyPlace, value: mapScalars(entry.value, change) });
      }
      return { ...node, entries };
    }
  }
}
