/**
 * The type of the options that a schema describes, as a plugin gets them: what has a default or is required is there.
 *
 *     const schema = { type: 'object', additionalProperties: false, properties: { depth: { type: 'integer', default: 1 } } } as const;
 *     type Options = OptionsOf<typeof schema>; // { readonly depth: number }
 *
 * It knows `type` (one, not a list), `const`, `enum`, `anyOf`, `oneOf`, `items`, `properties`, `required`, `default` and `additionalProperties`;
 * what is said in other words is `unknown`.
 */
export type OptionsOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Branch)[] } | { readonly oneOf: readonly (infer Branch)[] }
      ? EachOf<Branch>
      : Schema extends { readonly type: infer Type }
        ? OfType<Schema, Type>
        : unknown;

/** A union for a union. */
type EachOf<Branch> = Branch extends unknown ? OptionsOf<Branch> : never;

type OfType<Schema, Type> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? readonly (Schema extends { readonly items: infer Item } ? OptionsOf<Item> : unknown)[]
          : Type extends 'object'
            ? ObjectOf<Schema>
            : unknown;

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Together<
      { readonly [Name in Present<Schema, Properties>]: OptionsOf<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, Present<Schema, Properties>>]?: OptionsOf<Properties[Name]>;
      }
    >
  : {
      readonly [name: string]: Schema extends { readonly additionalProperties: infer Value }
        ? OptionsOf<Value>
        : unknown;
    };

type Present<Schema, Properties> = keyof Properties &
  (
    | (Schema extends { readonly required: readonly (infer Name)[] } ? Name : never)
    | {
        [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown } ? Name : never;
      }[keyof Properties]
  );

/** Editors show it as one object. */
type Together<Parts> = { [Name in keyof Parts]: Parts[Name] };
