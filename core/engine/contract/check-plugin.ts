/** Whether a value is a plugin. A third party's is data from outside until it was looked at; the built-ins pass the same test. */
import type { Capability } from '../../config/catalogue.js';
import { API_VERSION } from './plugin.js';

const kinds = new Set<unknown>(['source', 'codec', 'stage', 'aggregate', 'sink']);
const capabilities = new Set<unknown>([
  'addresses',
  'symbols',
  'lines',
  'binary',
  'capture',
] satisfies readonly Capability[]);

/** All that is wrong with a value as a plugin, in the words of who wrote it; [] for a plugin. */
export async function pluginProblems(value: unknown): Promise<string[]> {
  if (typeof value !== 'object' || value === null) return ['is no plugin (use defineStage, defineCodec …)'];
  const { kind, name, version, summary, api, schema, needs, provides, create, checkOptions, ...rest } = value as {
    readonly [field: string]: unknown;
  };
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };
  check(kinds.has(kind), `kind is ${show(kind)}, not one of ${[...kinds].join(', ')}`);
  check(typeof name === 'string' && /^[a-z][a-z0-9-]*$/.test(name), `name is ${show(name)}, not one lower-case word`);
  check(typeof version === 'string' && version !== '', 'version is missing');
  check(typeof summary === 'string' && summary !== '', 'summary is missing');
  check(typeof create === 'function', 'create is no function');
  check(checkOptions === undefined || typeof checkOptions === 'function', 'checkOptions is no function');
  checkSchema(schema, check);
  for (const [field, list] of Object.entries({ needs, provides })) {
    const isList = list === undefined || (Array.isArray(list) && list.every((entry) => capabilities.has(entry)));
    check(isList, `${field} is ${show(list)}, not a list of ${[...capabilities].join(', ')}`);
  }
  if (kind === 'codec') checkCodec(rest, check);
  if (kind === 'aggregate') {
    for (const method of ['groupFields', 'memoryLimit', 'windowRules']) {
      check(rest[method] === undefined || typeof rest[method] === 'function', `${method} is no function`);
    }
  }
  if (kind === 'stage') {
    for (const method of ['mergeReports', 'renderReport', 'reportJson']) {
      check(rest[method] === undefined || typeof rest[method] === 'function', `${method} is no function`);
    }
  }
  await checkApi(api, check);
  return problems;
}

type Check = (holds: boolean, problem: string) => void;

function checkSchema(schema: unknown, check: Check): void {
  if (typeof schema !== 'object' || schema === null) {
    check(false, 'schema (JSON Schema of its options) is missing');
    return;
  }
  const { type, additionalProperties, unevaluatedProperties } = schema as { readonly [keyword: string]: unknown };
  check(type === 'object', `schema.type is ${show(type)}, not "object"`);
  check(
    additionalProperties === false || unevaluatedProperties === false,
    'schema.additionalProperties is not false: a misspelt option would pass',
  );
}

function checkCodec({ decodes, encodes, extensions, detect }: { readonly [field: string]: unknown }, check: Check) {
  check(typeof decodes === 'boolean' && typeof encodes === 'boolean', 'decodes and encodes are not both true or false');
  check(decodes !== false || encodes !== false, 'it neither decodes nor encodes');
  const isList = Array.isArray(extensions) && extensions.every((ending) => /^\.[^/]+$/.test(String(ending)));
  check(isList, `extensions is ${show(extensions)}, not a list of endings such as ".pb.gz"`);
  check(detect === undefined || typeof detect === 'function', 'detect is no function');
}

async function checkApi(api: unknown, check: Check): Promise<void> {
  if (typeof api !== 'string') {
    check(false, `api (semver range of the plugin API, such as "^${API_VERSION}") is missing`);
    return;
  }
  const { default: validRange } = await import('semver/ranges/valid.js');
  const { default: satisfies } = await import('semver/functions/satisfies.js');
  if (validRange(api) === null) check(false, `api is ${show(api)}, which is no semver range`);
  else check(satisfies(API_VERSION, api), `it was made for plugin API ${api}, this profpipe has ${API_VERSION}`);
}

/** A value in a message: of any size and kind, also one that JSON does not know. */
function show(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A bigint, or a value that holds itself.
  }
  text ??= typeof value;
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
