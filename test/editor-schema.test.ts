/** schemas/gen/pipeline.schema.json, as an editor's YAML server uses it: alone, on files that are not expanded yet. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { root } from './helpers/pipe.js';

const schema = JSON.parse(readFileSync(join(root, 'schemas', 'gen', 'pipeline.schema.json'), 'utf8'));
const validate = new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(schema);

function errors(yaml: string): string[] {
  return validate(parse(yaml))
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

const around = (stages: string) => `input: {stdin: {}}\noutput: [stdout: {}]\nstages: ${stages}`;

test('the shipped pipelines name the schema, and are right by it', () => {
  for (const name of readdirSync(join(root, 'pipelines')).filter((file) => /(?<!\.test)\.yml$/.test(file))) {
    const text = readFileSync(join(root, 'pipelines', name), 'utf8');
    assert.match(text, /^# yaml-language-server: \$schema=\.\.\/schemas\/gen\/pipeline\.schema\.json$/m, name);
    assert.deepEqual(errors(text), [], name);
  }
});

test('an item of a list is one plugin with its own options', () => {
  assert.deepEqual(errors(around('[mark: {top: 3}, aggregate: {}, filter:]')), []);
  assert.deepEqual(errors(around('[{mark: {}, aggregate: {}}]')), ['/stages/0 maxProperties']);
  assert.deepEqual(errors(around('[{}]')), ['/stages/0 minProperties']);
  assert.ok(errors(around('[mark: {focus: x}]')).includes('/stages/0/mark additionalProperties'));
});

test('a reference may stand where a number or one of a few words is wanted', () => {
  assert.deepEqual(errors(around('[mark: {top: "${n}", kind: "${ENV:KIND}", checks: ["${check}"]}]')), []);
  assert.ok(errors(around('[mark: {top: "3"}]')).length > 0);
});

test('names that are not built in are wrong, unless the pipeline names plugins', () => {
  assert.ok(errors(around('[simbolize: {}]')).includes('/stages/0 propertyNames'));
  assert.deepEqual(errors(`plugins: [./mine.js]\n${around('[simbolize: {}]')}`), []);
});

test("a sink's options hold its codec", () => {
  const output = (options: string) => errors(`input: {stdin: {}}\noutput: [stdout: ${options}]`);
  assert.deepEqual(output('{codec: json}'), []);
  assert.deepEqual(output('{codec: {pprof: {level: 6}}}'), []);
  assert.ok(output('{codec: {pprof: {level: high}}}').length > 0);
  assert.ok(output('{codec: {pprof: {}, json: {}}}').length > 0);
});
