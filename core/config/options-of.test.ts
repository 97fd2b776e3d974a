import { test } from 'node:test';
import type { OptionsOf } from './options-of.js';

/** Compiles only if the types are the same. */
function same<A, B>(..._: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : ['other types']) {}

test('options have the types that their schema says', () => {
  const object = { type: 'object', additionalProperties: false } as const;
  const required = {
    ...object,
    required: ['a'],
    properties: { a: { type: 'string' }, b: { type: 'integer' } },
  } as const;
  same<OptionsOf<typeof required>, { readonly a: string; readonly b?: number }>();
  const defaulted = { ...object, properties: { a: { type: 'boolean', default: true }, b: { type: 'null' } } } as const;
  same<OptionsOf<typeof defaulted>, { readonly a: boolean; readonly b?: null }>();
  const lists = {
    ...object,
    required: ['a'],
    properties: { a: { type: 'array', items: { enum: ['x', 3] } } },
  } as const;
  same<OptionsOf<typeof lists>, { readonly a: readonly ('x' | 3)[] }>();
  const choice = { anyOf: [{ type: 'number' }, { const: 'auto' }, { type: 'array' }] } as const;
  same<OptionsOf<typeof choice>, number | 'auto' | readonly unknown[]>();
  const nested = { ...object, required: ['a'], properties: { a: defaulted } } as const;
  same<OptionsOf<typeof nested>, { readonly a: { readonly a: boolean; readonly b?: null } }>();
  const map = { type: 'object', additionalProperties: { type: 'string' } } as const;
  same<OptionsOf<typeof map>, { readonly [name: string]: string }>();
  same<OptionsOf<{ readonly $ref: '#/x' }>, unknown>();
  // @ts-expect-error the check itself tells types apart
  same<OptionsOf<typeof map>, { readonly [name: string]: number }>();
});
