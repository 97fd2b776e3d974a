/** `output:` -> sinks, each with the codec that makes its bytes: said outright, told by the path's ending, or the sink's own. */
import { dirname } from 'node:path';
import type { CatalogueEntry } from './catalogue.js';
import { suggestion } from './nearest.js';
import type { PlanOutput, PluginUse } from './plan.js';
import type { ConfigNode, MapEntry, Place } from './tree.js';
import { type CheckedUse, checkCodecUse, checkUse, splitEntry, type UseContext } from './uses.js';

export interface CheckedOutput {
  readonly plan: PlanOutput;
  /** The path that it writes, as a template; absent for a sink without one. */
  readonly path: string | undefined;
  readonly place: Place;
}

/**
 * @param groups fields that the profiles' groups have
 * @returns the outputs that are right; the others have findings
 */
export function checkOutputs(
  list: ConfigNode | undefined,
  groups: readonly string[],
  context: UseContext,
): CheckedOutput[] {
  if (list?.kind !== 'list') return [];
  const outputs = list.items.flatMap((item, index) => {
    const only = item.kind === 'map' && item.entries.size === 1 ? [...item.entries][0] : undefined;
    return only === undefined ? [] : checkOutput(only[0], only[1], `output[${index}]`, groups, context);
  });
  refuseSameDestination(outputs, context);
  return outputs;
}

function checkOutput(
  name: string,
  { keyPlace, value }: MapEntry,
  where: string,
  groups: readonly string[],
  context: UseContext,
): CheckedOutput[] {
  const { rest, entry: codecEntry } =
    value.kind === 'map' ? splitEntry(value, 'codec') : { rest: value, entry: undefined };
  const { entry, checked } = checkUse(['sink'], name, { keyPlace, value: rest }, where, context);
  const codecWhere = `${where}.${name}.codec`;
  const said = codecEntry === undefined ? undefined : checkCodecUse(codecEntry.value, codecWhere, context);
  if (codecEntry !== undefined && said?.entry !== undefined && said.entry.encodes !== true) {
    context.findings.add(
      codecEntry.value.place,
      'codec-cannot-encode',
      cannotEncode(said.entry.name, codecWhere, context),
    );
    return [];
  }
  if (entry === undefined || checked === undefined) return [];
  checkTemplates(checked, rest, `${where}.${name}`, groups, context);
  const codec = codecEntry === undefined ? impliedCodec(checked, keyPlace, where, context) : said?.checked?.use;
  if (codec === undefined) return [];
  const path = checked.paths.find(({ format }) => format !== 'path-glob')?.path;
  return [{ plan: { sink: checked.use, codec }, path, place: keyPlace }];
}

/** The codec with the longest ending that the path has, else the sink's default. */
function impliedCodec(sink: CheckedUse, place: Place, where: string, context: UseContext): PluginUse | undefined {
  const path = sink.paths.find(({ format }) => format !== 'path-glob')?.path;
  const encoders = context.catalogue.list().filter((entry) => entry.kind === 'codec' && entry.encodes);
  const endings = encoders
    .flatMap((entry) => (entry.extensions ?? []).map((extension) => ({ name: entry.name, extension })))
    .sort((a, b) => b.extension.length - a.extension.length);
  const byEnding = path === undefined ? undefined : endings.find(({ extension }) => path.endsWith(extension))?.name;
  const name = byEnding ?? (path === undefined || !/\.[^/]+$/.test(path) ? sink.entry.defaultCodec : undefined);
  if (name === undefined) {
    const known = endings.map(({ extension, name: codec }) => `${extension} (${codec})`).join(', ');
    const message = `${where}: the path's ending tells no codec; endings: ${known}; or say \`codec:\``;
    context.findings.add(place, 'codec-undetermined', message);
    return undefined;
  }
  const noOptions: MapEntry = { keyPlace: place, value: { kind: 'map', place, entries: new Map() } };
  return checkUse(['codec'], name, noOptions, `${where}.codec`, context).checked?.use;
}

function cannotEncode(name: string, where: string, { catalogue }: UseContext): string {
  const encoders = catalogue.list().filter((entry: CatalogueEntry) => entry.kind === 'codec' && entry.encodes);
  return `${where}: codec "${name}" reads only; these write: ${encoders.map((entry) => entry.name).join(', ')}`;
}

/** `{name}`, `{index}`, `{label:KEY}` and the fields of groups are the only ones there are; every group needs a path of its own. */
function checkTemplates(
  sink: CheckedUse,
  options: ConfigNode,
  where: string,
  groups: readonly string[],
  { findings }: UseContext,
): void {
  for (const { steps, format, path } of sink.paths) {
    if (format !== 'path-template') continue;
    const option = options.kind === 'map' ? options.entries.get(steps[0]!)?.value : undefined;
    const complain = (message: string) =>
      findings.add((option ?? options).place, 'bad-template', `${where}.${steps.join('.')}: ${message}`);
    const words = Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, word]) => word!);
    for (const word of words) {
      if (word === 'name' || word === 'index' || /^label:./.test(word)) continue;
      if (!word.startsWith('group:')) {
        complain(`no placeholder {${word}}${suggestion(word, ['name', 'index', 'label:KEY'])}`);
        continue;
      }
      const field = word.slice('group:'.length);
      if (groups.length === 0) complain(`\${group.${field}}: nothing is grouped (aggregate: { by: … })`);
      else if (!groups.includes(field)) complain(`groups have no field "${field}"${suggestion(field, groups)}`);
    }
    const missing = words.includes('index') ? undefined : groups.find((field) => !words.includes(`group:${field}`));
    if (missing !== undefined) {
      complain(`groups that differ in "${missing}" only would have one path; put \${group.${missing}} in it`);
    }
  }
}

function refuseSameDestination(outputs: readonly CheckedOutput[], { findings }: UseContext): void {
  const seen = new Map<string, Place>();
  for (const { plan, path, place } of outputs) {
    const key = JSON.stringify([plan.sink.plugin, path ?? plan.sink.options]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, place);
    else
      findings.add(
        place,
        'output-twice',
        `goes where the output of line ${first.line} goes: ${path ?? plan.sink.plugin}`,
      );
  }
}

/** Folder of the first file output, as far as it holds no placeholder; undefined when no output is a file. */
export function firstOutputFolder(outputs: readonly CheckedOutput[]): string | undefined {
  const path = outputs.find((output) => output.path !== undefined)?.path;
  return path === undefined ? undefined : dirname(path.split('{', 1)[0]!.concat('x'));
}
