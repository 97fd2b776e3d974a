/**
 * JSON Schema (2020-12) over a tree: fills in defaults, makes paths absolute, and says what is wrong at the place where it is
 * written, in YAML's words. The only user of ajv.
 */
import { resolve } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from './catalogue.js';
import type { Findings } from './finding.js';
import { parseAs } from './params.js';
import { reportSchemaErrors } from './schema-errors.js';
import { type ConfigNode, mapScalars, nodeAt, pointerSteps, type ScalarNode, toPlain } from './tree.js';

/** A string that its schema calls a path. */
export interface PathValue {
  /** Keys and indexes from the root of the checked value. */
  readonly steps: readonly string[];
  readonly format: 'path' | 'path-template' | 'path-glob';
  /** Absolute, as it stands in the checked value. */
  readonly path: string;
}

export interface Checked {
  /** Plain data with defaults and absolute paths; maps have no prototype. */
  readonly value: unknown;
  readonly paths: readonly PathValue[];
}

interface Visited {
  readonly paths: Map<string, PathValue['format']>;
}

const ajv = new Ajv2020({
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  passContext: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  verbose: true,
});
ajv.removeKeyword('format');
ajv.addKeyword({
  keyword: 'format',
  type: 'string',
  schemaType: 'string',
  errors: false,
  validate(this: Visited, format: string, _data: string, _schema: unknown, where?: { instancePath: string }) {
    if (format === 'path' || format === 'path-template' || format === 'path-glob') {
      this.paths.set(where?.instancePath ?? '', format);
    }
    return true;
  },
});

const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/**
 * @param where names the value in messages: "stages[1].mark"; "" for the whole file
 * @param base folder for paths among the defaults
 * @returns undefined when something is wrong, or cannot be told (see `ScalarNode.unknown`)
 */
export function validate(
  schema: JsonSchema,
  node: ConfigNode,
  { where, base }: { where: string; base: string },
  findings: Findings,
): Checked | undefined {
  let run = compiled.get(schema);
  if (run === undefined) {
    run = ajv.compile(schema);
    compiled.set(schema, run);
  }
  const typed = withTypedEnvironment(run, node);
  const value = toPlain(typed);
  const visited: Visited = { paths: new Map() };
  const isValid = run.call(visited, value);
  if (!isValid) reportSchemaErrors(run.errors ?? [], typed, where, findings);
  if (!isValid || hasUnknown(typed)) return undefined;
  return {
    value,
    paths: [...visited.paths].map(([pointer, format]) => makeAbsolute(value, typed, pointer, format, base)),
  };
}

/** Environment variables are strings: where a number or a boolean is wanted and they read as one, they are that. */
function withTypedEnvironment(run: ValidateFunction, node: ConfigNode): ConfigNode {
  if (!some(node, (scalar) => scalar.fromEnvironment === true)) return node;
  run.call({ paths: new Map() } satisfies Visited, toPlain(node));
  const wanted = new Map<ConfigNode, ErrorObject>();
  for (const error of run.errors ?? []) {
    const at = nodeAt(node, pointerSteps(error.instancePath));
    if (error.keyword === 'type' && at !== undefined) wanted.set(at, error);
  }
  return mapScalars(node, (scalar) => {
    const types = [wanted.get(scalar)?.params.type ?? []].flat() as string[];
    if (scalar.fromEnvironment !== true) return scalar;
    for (const type of ['integer', 'number', 'boolean'] as const) {
      const value = types.includes(type) ? parseAs(type, String(scalar.value)) : undefined;
      if (value !== undefined) return { ...scalar, value };
    }
    return scalar;
  });
}

function hasUnknown(node: ConfigNode): boolean {
  return some(node, (scalar) => scalar.unknown === true);
}

function some(node: ConfigNode, test: (scalar: ScalarNode) => boolean): boolean {
  if (node.kind === 'scalar') return test(node);
  const children = node.kind === 'list' ? node.items : [...node.entries.values()].map((entry) => entry.value);
  return children.some((child) => some(child, test));
}

function makeAbsolute(
  value: unknown,
  tree: ConfigNode,
  pointer: string,
  format: PathValue['format'],
  defaultBase: string,
): PathValue {
  const steps = pointerSteps(pointer);
  const origin = nodeAt(tree, steps);
  const base = origin?.kind === 'scalar' ? origin.base : defaultBase;
  const parent = steps.slice(0, -1).reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], value);
  const holder = parent as Record<string, string>;
  const last = steps.at(-1)!;
  const path = format === 'path-glob' ? resolveGlob(base, holder[last]!) : resolve(base, holder[last]!);
  holder[last] = path;
  return { steps, format, path };
}

/** Joined by text rather than resolved: `..` behind a wildcard is not the wildcard's parent. */
function resolveGlob(base: string, glob: string): string {
  if (resolve(glob) === glob || glob.startsWith('/')) return glob;
  const relative = glob.startsWith('./') ? glob.slice('./'.length) : glob;
  return `${base.replaceAll(/[\\*?[\]{}()!+@]/g, '\\$&')}/${relative}`;
}
