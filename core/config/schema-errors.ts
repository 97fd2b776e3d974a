/** ajv's errors as findings: at the key or value they are about, with the nearest valid name. */
import type { ErrorObject } from 'ajv';
import type { Findings } from './finding.js';
import { suggestion } from './nearest.js';
import { type ConfigNode, nodeAt, type Place, pointerSteps } from './tree.js';

/** @param where what the root of `tree` is called in messages; "" for the whole file */
export function reportSchemaErrors(
  errors: readonly ErrorObject[],
  tree: ConfigNode,
  where: string,
  findings: Findings,
) {
  for (const error of withoutBranches(errors)) {
    const steps = pointerSteps(error.instancePath);
    const node = nodeAt(tree, steps) ?? tree;
    if (node.kind === 'scalar' && node.unknown) continue;
    const unknownKey: unknown =
      error.params.additionalProperty ?? error.params.unevaluatedProperty ?? error.params.propertyName;
    if (typeof unknownKey === 'string') {
      const place = node.kind === 'map' ? (node.entries.get(unknownKey)?.keyPlace ?? node.place) : node.place;
      const hint = suggestion(unknownKey, Object.keys((error.parentSchema?.properties as object | undefined) ?? {}));
      const message =
        error.keyword === 'propertyNames' ? 'no valid name' : `unknown ${where === '' ? 'key' : 'option'}${hint}`;
      findings.add(
        place,
        where === '' ? 'unknown-key' : 'unknown-option',
        `${pathText(where, [...steps, unknownKey])}: ${message}`,
      );
      continue;
    }
    const [code, message] = describe(error, node, where === '' && isUse(steps));
    findings.add(placeOf(node), code, `${pathText(where, steps)}: ${message}`);
  }
}

const placeOf = (node: ConfigNode): Place => node.place;

/** `stages[1].mark.checks[0]` */
export function pathText(where: string, steps: readonly string[]): string {
  const text = steps.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : `${path}.${step}`), where);
  return text === '' ? 'pipeline' : text.replace(/^\./, '');
}

/** Where a plugin is named, as the only key of a map. */
function isUse([section, ...inner]: readonly string[]): boolean {
  return section === 'input'
    ? inner.length === 0
    : (section === 'stages' || section === 'output') && inner.length === 1;
}

/** YAML's words for JSON Schema's. */
const typeNames: Readonly<Record<string, string>> = { object: 'a map', array: 'a list' };

function describe(error: ErrorObject, node: ConfigNode, isOfUse: boolean): [code: string, message: string] {
  const { keyword, params } = error;
  switch (keyword) {
    case 'type':
      if (node.kind === 'scalar' && typeof node.value === 'bigint') {
        return ['number-range', `${node.value} is beyond ±(2^53 − 1), where numbers are not exact`];
      }
      return ['wrong-type', `expected ${expected(params.type)}, got ${show(node)}${isOfUse ? asMap(node) : ''}`];
    case 'required':
      return ['missing', `"${params.missingProperty}" is missing`];
    case 'enum':
      return ['bad-value', `${show(node)} is none of the values${hintOf(node, params.allowedValues as unknown[])}`];
    case 'const':
      return ['bad-value', `${show(node)} is not ${JSON.stringify(params.allowedValue)}`];
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return ['bad-value', `${show(node)} is not ${params.comparison} ${params.limit}`];
    case 'minItems':
      return ['bad-value', `fewer than ${params.limit} items`];
    case 'maxItems':
      return ['bad-value', `more than ${params.limit} items`];
    case 'minProperties':
      return ['bad-value', `fewer than ${params.limit} keys`];
    case 'maxProperties':
      return [
        'bad-value',
        `more than ${params.limit} keys${params.limit === 1 ? ': one name, with its options below it' : ''}`,
      ];
    case 'minLength':
      return ['bad-value', params.limit === 1 ? 'is empty' : `shorter than ${params.limit} characters`];
    case 'pattern':
      return ['bad-value', `${show(node)} does not match ${params.pattern}`];
    default:
      return ['bad-value', `${error.message ?? keyword}`];
  }
}

const expected = (types: string | readonly string[]) =>
  [types]
    .flat()
    .map((type) => typeNames[type] ?? type)
    .join(' or ');

/** Of a name by itself. */
function asMap(node: ConfigNode): string {
  const name = node.kind === 'scalar' ? node.value : undefined;
  return typeof name === 'string' && /^[a-z][a-z0-9-]*$/.test(name) ? `; write "${name}: {}"` : '';
}

function hintOf(node: ConfigNode, allowed: readonly unknown[]): string {
  return suggestion(node.kind === 'scalar' ? String(node.value) : '', allowed.map(String));
}

function show(node: ConfigNode): string {
  if (node.kind === 'map') return 'a map';
  if (node.kind === 'list') return 'a list';
  if (node.value === null) return 'nothing';
  if (typeof node.value !== 'string') return String(node.value);
  const text = node.value.length > 80 ? `${node.value.slice(0, 80)}…` : node.value;
  return JSON.stringify(text);
}

/**
 * Of a failed `anyOf` or `oneOf` keeps what helps: the errors deeper inside of the value if there are any (the branch that was
 * meant), else one type error with the types of all branches.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  // `if` and `propertyNames` each come with an error that says the same at the same place.
  let kept = errors.filter((error) => error.keyword !== 'if' && error.propertyName === undefined);
  for (const choice of errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf')) {
    const below = `${choice.instancePath}/`;
    const branches = kept.filter((error) => error !== choice && isOfBranch(error, choice));
    const deeper = branches.filter(
      (error) => error.instancePath.startsWith(below) || error.keyword === 'additionalProperties',
    );
    const others = kept.filter((error) => error !== choice && !branches.includes(error));
    const types = branches
      .filter((error) => error.keyword === 'type')
      .flatMap((error) => error.params.type as string | string[]);
    const rest = branches.filter((error) => error.keyword !== 'type' && error.instancePath === choice.instancePath);
    if (deeper.length > 0) kept = [...others, ...deeper];
    else if (rest.length > 0) kept = [...others, ...rest];
    else if (types.length > 0)
      kept = [...others, { ...choice, keyword: 'type', params: { type: [...new Set(types)] } }];
  }
  return kept;
}

function isOfBranch(error: ErrorObject, choice: ErrorObject): boolean {
  const isWithin =
    error.instancePath === choice.instancePath || error.instancePath.startsWith(`${choice.instancePath}/`);
  return isWithin && (error.schemaPath.startsWith(`${choice.schemaPath}/`) || error.schemaPath.startsWith('#/$defs/'));
}
