import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseTemplate, safeComponent } from './path-template.js';

test('placeholders are filled in, label keys are asked for', () => {
  const template = parseTemplate('out/{label:service}/{name}-{index}.pb.gz');
  assert.deepEqual(template.labelKeys, ['service']);
  assert.equal(template.fixed, 'out/');
  assert.equal(template.expand({ name: 'cpu', index: 3, labels: { service: 'api' } }), 'out/api/cpu-3.pb.gz');
});

test('an unknown placeholder is an error that says which there are', () => {
  assert.throws(() => parseTemplate('{nmae}.json'), /unknown placeholder \{nmae\}.*\{name\}/);
});

test('whatever a label holds, it stays one path component', () => {
  assert.equal(safeComponent('../../etc/passwd'), '.._.._etc_passwd');
  assert.equal(safeComponent('..'), '_..');
  assert.equal(safeComponent(''), '_');
  assert.equal(safeComponent('a\u0000b\nc'), 'a_b_c');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const safe = safeComponent(text);
      assert.ok(!/[/\\\u0000-\u001f]/.test(safe) && safe !== '.' && safe !== '..' && safe !== '');
      assert.ok(Buffer.byteLength(safe) <= 201);
    }),
  );
});

test('groups that differ have paths that differ, and none leaves the folder', () => {
  const template = parseTemplate('out/{group:a}/{group:b}.pb');
  const path = (a: string, b = 'b') => template.expand({ name: '', index: 0, labels: {}, group: { a, b } });
  assert.equal(path('api'), 'out/api/b.pb');
  assert.match(path('../../etc'), /^out\/\.\._\.\._etc-[0-9a-f]{12}\/b\.pb$/);
  const odd = ['', '.', '..', '_', 'a/b', 'a\\b', 'a_b', '\u0000', 'x'.repeat(300), 'x'.repeat(301)];
  assert.equal(new Set(odd.map((text) => path(text))).size, odd.length);
  for (const text of odd) assert.match(path(text), /^out\/[^/]+\/b\.pb$/);
});
