/** Which strings of a value its schema calls paths. */
import type { JsonSchema } from './catalogue.js';

export type PathFormat = 'path' | 'existing-path' | 'path-template' | 'path-glob';

export interface FoundPath {
  /** Keys and indexes from the root of the value. */
  readonly steps: readonly string[];
  readonly format: PathFormat;
}

/**
 * An empty string, where its schema allows it, is no path: none is given.
 * @param schema that `value` has passed; `$ref` within it, `items`, `properties`, `patternProperties`, `additionalProperties` and the
 *   branches of `anyOf`, `oneOf`, `allOf` are followed
 */
export function findPaths(schema: JsonSchema, value: unknown): FoundPath[] {
  const found = new Map<string, FoundPath>();
  for (const path of walk(schema, value, [], schema)) found.set(JSON.stringify(path.steps), path);
  return [...found.values()];
}

/** Depth is that of the value, which YAML bounds, times that of the schema. */
function* walk(schema: unknown, value: unknown, steps: readonly string[], root: JsonSchema): Generator<FoundPath> {
  if (!isSchema(schema)) return;
  const { $ref: reference, format, items, properties, patternProperties, additionalProperties } = schema;
  if (typeof reference === 'string') yield* walk(resolveReference(reference, root), value, steps, root);
  for (const branches of [schema.anyOf, schema.oneOf, schema.allOf]) {
    if (Array.isArray(branches)) for (const branch of branches) yield* walk(branch, value, steps, root);
  }
  if (typeof value === 'string' && value !== '' && isPathFormat(format)) yield { steps, format };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* walk(items, item, [...steps, String(index)], root);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const named = isSchema(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
      const patterns = isSchema(patternProperties) ? Object.entries(patternProperties) : [];
      const matching = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, matched]) => matched);
      const own = [...named, ...matching];
      for (const of of own.length === 0 ? [additionalProperties] : own) yield* walk(of, member, [...steps, key], root);
    }
  }
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

const isPathFormat = (format: unknown): format is PathFormat =>
  format === 'path' || format === 'existing-path' || format === 'path-template' || format === 'path-glob';

/** `#/$defs/name`, or undefined for what is not in this schema. */
function resolveReference(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (at, step) => (isSchema(at) ? at[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      root,
    );
}
