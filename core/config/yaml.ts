/**
 * YAML text -> tree with places. YAML 1.2 core schema, one document, string keys; no merge keys.
 * Hostile text gets findings: the library's parser is recursive, so depth is counted before it runs (`nesting.ts`); aliases are
 * resolved here, since the library's own resolving throws without a place, and bounded in number, depth and nodes.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import type { Findings } from './finding.js';
import { deepestNesting } from './nesting.js';
import type { ConfigNode, ListNode, MapEntry, MapNode, Place, ScalarNode } from './tree.js';

export const yamlLimits = { bytes: 2 ** 20, depth: 64, aliases: 100, nodes: 2 ** 16, syntaxErrors: 50 } as const;

export interface YamlFile {
  /** How messages call it. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Absolute folder that relative paths in it start from. */
  readonly base: string;
}

/** @returns undefined after adding at least one finding: a tree is never half right */
export function readYaml({ file, bytes, base }: YamlFile, findings: Findings): ConfigNode | undefined {
  const at = (line: number, column: number): Place => ({ file, line, column });
  if (bytes.length > yamlLimits.bytes) {
    findings.add(at(1, 1), 'yaml-limit', `${bytes.length} bytes, limit ${yamlLimits.bytes}`);
    return undefined;
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    findings.add(at(1, 1), 'yaml-encoding', 'not UTF-8 text');
    return undefined;
  }
  const nesting = deepestNesting(text);
  if (nesting.depth > yamlLimits.depth) {
    findings.add(at(nesting.line, 1), 'yaml-limit', `nested ${nesting.depth} deep, limit ${yamlLimits.depth}`);
    return undefined;
  }

  const lines = new LineCounter();
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return at(Math.max(1, line), Math.max(1, col));
  };
  const document = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'error',
    version: '1.2',
  });
  const problems = [...document.errors, ...document.warnings];
  for (const problem of problems.slice(0, yamlLimits.syntaxErrors)) {
    findings.add(placeOf(problem.pos[0]), codeOf(problem.code), messageOf(problem));
  }
  if (problems.length > 0) return undefined;
  if (document.contents === null) {
    findings.add(at(1, 1), 'yaml-empty', 'the file is empty; a pipeline has at least input and output');
    return undefined;
  }
  const before = findings.length;
  const tree = new TreeBuilder(placeOf, base, findings).build(document.contents, 0);
  return findings.length === before ? tree : undefined;
}

function codeOf(code: string): string {
  if (code === 'DUPLICATE_KEY') return 'yaml-duplicate-key';
  if (code === 'TAG_RESOLVE_FAILED') return 'yaml-tag';
  return 'yaml-syntax';
}

/** The library's words, but for those that tell what to call of it. */
function messageOf({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; this file is one';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** Converts the library's nodes. Depth is bounded by `yamlLimits.depth`, aliases included. */
class TreeBuilder {
  readonly #placeOf: (offset: number) => Place;
  readonly #base: string;
  readonly #findings: Findings;
  readonly #anchors = new Map<string, ParsedNode>();
  /** Anchored nodes that are being converted: an alias to one of them is a cycle. */
  readonly #open = new Set<ParsedNode>();
  #aliases = 0;
  #nodes = 0;
  #overLimit = false;

  constructor(placeOf: (offset: number) => Place, base: string, findings: Findings) {
    this.#placeOf = placeOf;
    this.#base = base;
    this.#findings = findings;
  }

  build(node: ParsedNode | null, depth: number, usedAt?: Place): ConfigNode {
    const place = usedAt ?? this.#placeOf(node?.range[0] ?? 0);
    this.#nodes++;
    if (this.#nodes > yamlLimits.nodes) return this.#limit(place, `more than ${yamlLimits.nodes} values`);
    if (depth > yamlLimits.depth) return this.#limit(place, `nested more than ${yamlLimits.depth} deep`);
    if (node === null) return this.#scalar(place, null);
    if (isAlias(node)) return this.#alias(node.source, place, depth);
    if (node.anchor !== undefined) {
      this.#anchors.set(node.anchor, node);
      this.#open.add(node);
    }
    const built = this.#buildContent(node, place, depth);
    this.#open.delete(node);
    return built;
  }

  #buildContent(node: ParsedNode, place: Place, depth: number): ConfigNode {
    if (isMap(node)) return this.#map(node.items as unknown as readonly Pair[], place, depth);
    if (isSeq(node)) return this.#list(node.items as unknown as readonly ParsedNode[], place, depth);
    if (isScalar(node)) return this.#scalar(place, node.value);
    return this.#scalar(place, null);
  }

  #list(items: readonly ParsedNode[], place: Place, depth: number): ListNode {
    const built: ConfigNode[] = [];
    for (const item of items) {
      if (this.#overLimit) break;
      built.push(this.build(item, depth + 1));
    }
    return { kind: 'list', place, items: built };
  }

  #map(pairs: readonly Pair[], place: Place, depth: number): MapNode {
    const entries = new Map<string, MapEntry>();
    for (const { key, value } of pairs) {
      if (this.#overLimit) break;
      const keyPlace = this.#placeOf(key?.range[0] ?? 0);
      if (key === null || !isScalar(key) || typeof key.value !== 'string') {
        this.#findings.add(keyPlace, 'yaml-key', 'a key must be a string');
        continue;
      }
      // A missing value (`key:`) has no place of its own in the text.
      const built = value === null ? this.#scalar(keyPlace, null) : this.build(value, depth + 1);
      entries.set(key.value, { keyPlace, value: built });
    }
    return { kind: 'map', place, entries };
  }

  #alias(name: string, place: Place, depth: number): ConfigNode {
    const target = this.#anchors.get(name);
    this.#aliases++;
    if (this.#aliases > yamlLimits.aliases) return this.#limit(place, `more than ${yamlLimits.aliases} aliases`);
    if (target === undefined) {
      this.#findings.add(place, 'yaml-alias', `no anchor "&${name}" before this alias`);
      return this.#scalar(place, null);
    }
    if (this.#open.has(target)) {
      this.#findings.add(place, 'yaml-alias', `alias "*${name}" is inside of what it stands for`);
      return this.#scalar(place, null);
    }
    return this.build(target, depth, place);
  }

  #scalar(place: Place, value: unknown): ScalarNode {
    return { kind: 'scalar', place, base: this.#base, value: this.#exact(place, value) };
  }

  #exact(place: Place, value: unknown): ScalarNode['value'] {
    if (typeof value === 'bigint') {
      const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
      return isSafe ? Number(value) : value;
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#findings.add(place, 'number-range', 'no finite number');
      return null;
    }
    return value as ScalarNode['value'];
  }

  /** Reports once; what is built after it is thrown away. */
  #limit(place: Place, message: string): ConfigNode {
    if (!this.#overLimit) this.#findings.add(place, 'yaml-limit', message);
    this.#overLimit = true;
    return { kind: 'scalar', place, base: this.#base, value: null };
  }
}

interface Pair {
  readonly key: ParsedNode | null;
  readonly value: ParsedNode | null;
}
