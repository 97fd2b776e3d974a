/** One `name: options` of a pipeline -> a plugin in use, with its options checked by the plugin's own schema. */
import type { Catalogue, CatalogueEntry, PluginKind } from './catalogue.js';
import type { Findings } from './finding.js';
import { suggestion } from './nearest.js';
import type { PlacedUse } from './option-checks.js';
import type { PluginUse } from './plan.js';
import type { ConfigNode, MapEntry, MapNode, Place } from './tree.js';
import { type PathValue, validate } from './validate.js';

export interface CheckedUse {
  readonly entry: CatalogueEntry;
  readonly use: PluginUse;
  readonly paths: readonly PathValue[];
}

export interface UseContext {
  readonly catalogue: Catalogue;
  readonly findings: Findings;
  /** Absolute folder for paths among the defaults of options. */
  readonly base: string;
  /** Takes every use whose options pass their schema. */
  readonly uses: PlacedUse[];
}

/**
 * @param kinds that may stand here, the usual one first
 * @param where names the list or key it stands in: "stages[1]"
 * @returns the entry as soon as the name is known; the use only when its options are right
 */
export function checkUse(
  kinds: readonly PluginKind[],
  name: string,
  { keyPlace, value }: MapEntry,
  where: string,
  { catalogue, findings, base, uses }: UseContext,
): { readonly entry?: CatalogueEntry; readonly checked?: CheckedUse } {
  const entry = kinds.map((kind) => catalogue.find(kind, name)).find((found) => found !== undefined);
  if (entry === undefined) {
    findings.add(keyPlace, 'unknown-plugin', `${where}: ${unknownName(kinds, name, catalogue)}`);
    return {};
  }
  const node = optionsNode(value, keyPlace);
  const checked = validate(entry.schema, node, { where: `${where}.${name}`, base }, findings);
  if (checked === undefined) return { entry };
  uses.push({ entry, options: checked.value, where: `${where}.${name}`, node });
  return { entry, checked: { entry, use: { plugin: name, options: checked.value }, paths: checked.paths } };
}

/** `codec: json` or `codec: { pprof: { level: 6 } }` */
export function checkCodecUse(node: ConfigNode, where: string, context: UseContext): ReturnType<typeof checkUse> {
  if (node.kind === 'scalar') {
    if (node.unknown || typeof node.value !== 'string') return {};
    return checkUse(['codec'], node.value, { keyPlace: node.place, value: emptyMap(node.place) }, where, context);
  }
  if (node.kind === 'list') return {};
  const [only] = node.entries;
  return only === undefined ? {} : checkUse(['codec'], only[0], only[1], where, context);
}

/** A map without one of its keys, and that key's entry. */
export function splitEntry(
  map: MapNode,
  key: string,
): { readonly rest: MapNode; readonly entry: MapEntry | undefined } {
  const entries = new Map(map.entries);
  entries.delete(key);
  return { rest: { ...map, entries }, entry: map.entries.get(key) };
}

/** Options that are not written (`- aggregate:`) are no options. */
function optionsNode(value: ConfigNode, keyPlace: Place): ConfigNode {
  return value.kind === 'scalar' && value.value === null && !value.unknown ? emptyMap(keyPlace) : value;
}

const emptyMap = (place: Place): MapNode => ({ kind: 'map', place, entries: new Map() });

function unknownName(kinds: readonly PluginKind[], name: string, catalogue: Catalogue): string {
  const [kind] = kinds;
  if (/[/\\:]|^\./.test(name)) return `"${name}" is no ${kind}'s name; a module with plugins goes under "plugins:"`;
  const known = catalogue.list();
  const elsewhere = known.find((entry) => entry.name === name);
  if (elsewhere !== undefined) return `"${name}" is a ${elsewhere.kind}, not a ${kind}`;
  const valid = known.filter((entry) => kinds.includes(entry.kind)).map((entry) => entry.name);
  return `unknown ${kind} "${name}"${suggestion(name, valid)}`;
}
