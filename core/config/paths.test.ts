import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPaths } from './paths.js';

const path = { type: 'string', format: 'path' };
const found = (schema: object, value: unknown) =>
  findPaths(schema as never, value).map(({ steps, format }) => `${steps.join('/')} ${format}`);

test('paths are found in lists, maps and nested maps, by their schema alone', () => {
  const schema = {
    properties: {
      one: path,
      many: { items: { type: 'string', format: 'path-glob' } },
      text: { type: 'string' },
      nested: { properties: { out: { format: 'path-template' } } },
      'by name': { additionalProperties: path },
      pattern: { patternProperties: { '^x': path } },
    },
  };
  const value = {
    one: 'a',
    many: ['b', 'c'],
    text: './d',
    nested: { out: 'e' },
    'by name': { constructor: 'f' },
    pattern: { xy: 'g', y: 'h' },
  };
  assert.deepEqual(found(schema, value), [
    'one path',
    'many/0 path-glob',
    'many/1 path-glob',
    'nested/out path-template',
    'by name/constructor path',
    'pattern/xy path',
  ]);
});

test('references and branches are followed, a path is found once', () => {
  const schema = {
    $defs: { 'a/b': path },
    properties: { x: { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/a~1b' }, path] }, y: { $ref: '#/$defs/none' } },
  };
  assert.deepEqual(found(schema, { x: 'p', y: 'q' }), ['x path']);
  assert.deepEqual(found(schema, { x: 1 }), []);
});

test('an empty string is no path', () => {
  assert.deepEqual(found({ properties: { one: path, many: { items: path } } }, { one: '', many: ['', 'a'] }), [
    'many/1 path',
  ]);
});
