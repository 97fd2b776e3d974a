/** Options of a plugin that no pipeline mentions: a codec that the bytes chose. */
import type { JsonSchema } from './catalogue.js';

/** The defaults that the schema of an options object gives its properties. */
export function defaultOptions(schema: JsonSchema): { readonly [name: string]: unknown } {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: JsonSchema };
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, property]) => Object.hasOwn(property, 'default'))
      .map(([name, property]) => [name, property.default]),
  );
}
