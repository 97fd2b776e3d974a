/**
 * JSON Schema (2020-12) over a tree: fills in defaults, makes paths absolute, and says what is wrong at the place where it is
 * written, in YAML's words. The only user of ajv.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { ajvOptions, validators } from '../../schemas/gen/validators.js';
import type { JsonSchema } from './catalogue.js';
import type { Findings } from './finding.js';
import { parseAs } from './params.js';
import { type FoundPath, findPaths } from './paths.js';
import { pathText, reportSchemaErrors } from './schema-errors.js';
import { type ConfigNode, mapScalars, nodeAt, pointerSteps, type ScalarNode, toPlain } from './tree.js';

/** A string that its schema calls a path. */
export interface PathValue extends FoundPath {
  /** Absolute, as it stands in the checked value. */
  readonly path: string;
}

export interface Checked {
  /** Plain data with defaults and absolute paths; maps have no prototype. */
  readonly value: unknown;
  readonly paths: readonly PathValue[];
}

const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** Those of pipelines and the built-ins are compiled ahead (scripts/gen), others by `compile`. */
function validatorOf(schema: JsonSchema): ValidateFunction {
  const run = (validators.get(schema) as ValidateFunction | undefined) ?? compiled.get(schema);
  if (run === undefined) throw new Error('options are checked by a schema that was not looked at');
  return run;
}

/** Makes a schema ready for `validate`. Loads ajv, which nothing else needs. @throws Error for a schema that cannot be compiled */
export async function compile(schema: JsonSchema): Promise<void> {
  if (validators.has(schema) || compiled.has(schema)) return;
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  compiled.set(schema, new Ajv2020(ajvOptions).compile(schema));
}

/**
 * All that is wrong with a third party's schema itself: `schema/properties/key/type: must be …`; [] when options can be checked by it.
 * What tells is compiled ahead. Comes before `validate`.
 */
export async function schemaProblems(schema: JsonSchema): Promise<string[]> {
  const { META_SCHEMA, validateMetaSchema } = await import('../../schemas/gen/meta-schema.js');
  const { $schema = META_SCHEMA } = schema as { readonly $schema?: unknown };
  if ($schema !== META_SCHEMA) return [`schema/$schema: "${$schema}" is not supported; use "${META_SCHEMA}"`];
  const isSchema = validateMetaSchema as unknown as ValidateFunction;
  const problems = new Map<string, string>();
  if (!isSchema(schema)) {
    for (const { keyword, instancePath, message, params } of isSchema.errors ?? []) {
      // Of the branches of a choice the first says enough.
      if (keyword === 'anyOf' || problems.has(instancePath)) continue;
      const allowed = params.allowedValues as readonly unknown[] | undefined;
      const values = allowed === undefined ? '' : ` (${allowed.join(', ')})`;
      problems.set(instancePath, `schema${instancePath}: ${message}${values}`);
    }
    return [...problems.values()];
  }
  try {
    await compile(schema);
    return [];
  } catch (error) {
    return [`schema: ${error instanceof Error ? error.message : error}`];
  }
}

/**
 * @param schema of a built-in, or one that `compile` has seen, as it has one without `schemaProblems`
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
  const run = validatorOf(schema);
  const typed = withTypedEnvironment(run, node);
  const value = toPlain(typed);
  const isValid = run(value);
  if (!isValid) reportSchemaErrors(run.errors ?? [], typed, where, findings);
  if (!isValid || hasUnknown(typed)) return undefined;
  const paths = findPaths(schema, value).map((path) => makeAbsolute(value, typed, path, base));
  for (const { steps, format, path } of paths) {
    if (format !== 'existing-path' || existsSync(path)) continue;
    findings.add(
      (nodeAt(typed, steps) ?? typed).place,
      'no-such-file',
      `${pathText(where, steps)}: no such file: ${path}`,
    );
  }
  return { value, paths };
}

/** Environment variables are strings: where a number or a boolean is wanted and they read as one, they are that. */
function withTypedEnvironment(run: ValidateFunction, node: ConfigNode): ConfigNode {
  if (!some(node, (scalar) => scalar.fromEnvironment === true)) return node;
  run(toPlain(node));
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

function makeAbsolute(value: unknown, tree: ConfigNode, { steps, format }: FoundPath, defaultBase: string): PathValue {
  const origin = nodeAt(tree, steps);
  const base = origin?.kind === 'scalar' ? origin.base : defaultBase;
  const parent = steps.slice(0, -1).reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], value);
  const holder = parent as Record<string, string>;
  const last = steps.at(-1)!;
  const path = format === 'path-glob' ? resolveGlob(base, holder[last]!) : resolve(base, holder[last]!);
  holder[last] = path;
  return { steps, format, path };
}

const wildcard = /[\\*?[\]{}()!+@]/;

/**
 * A glob below an absolute folder. Only the part before the first wildcard is a path that can be resolved; what stands for a wildcard in
 * it, since it is the name of a folder ("Project (1)"), is escaped: with a backslash, a brace as a class of its own. `-` is standard input.
 */
function resolveGlob(base: string, glob: string): string {
  if (glob === '-') return glob;
  const segments = glob.split('/');
  const first = segments.findIndex((segment) => wildcard.test(segment));
  if (first < 0) return resolve(base, glob);
  const before = segments.slice(0, first).join('/');
  const folder = resolve(base, before === '' && first > 0 ? '/' : before);
  const escaped = folder.replaceAll(/[\\*?[\]()!+@]/g, '\\$&').replaceAll(/[{}]/g, '[$&]');
  return `${folder === '/' ? '' : escaped}/${segments.slice(first).join('/')}`;
}
