/** Parameters of a pipeline: declared under `params:`, given with `--set name=value`, used as `${name}`. */
import { expandScalar, type Scope } from './expand.js';
import type { Findings } from './finding.js';
import { suggestion } from './nearest.js';
import type { ConfigNode, MapNode, Place, ScalarNode } from './tree.js';

export type ParamType = 'string' | 'integer' | 'number' | 'boolean';

export interface Param {
  readonly name: string;
  readonly type: ParamType;
  readonly description?: string;
  /** As it is written; `${ENV:NAME}` in it is expanded only when the parameter takes it. */
  readonly default?: ScalarNode;
  readonly choices?: readonly (string | number | boolean)[];
  /** Whether a relative path in the default starts from the current folder rather than from the pipeline's. */
  readonly fromCwd: boolean;
  readonly place: Place;
}

const types = new Set<unknown>(['string', 'integer', 'number', 'boolean']);

/** The well-formed ones of `params:`; what is wrong with the others is said when the whole file is checked by its schema. */
export function readParams(root: MapNode): Map<string, Param> {
  const params = new Map<string, Param>();
  const declared = root.entries.get('params')?.value;
  if (declared?.kind !== 'map') return params;
  for (const [name, { keyPlace, value }] of declared.entries) {
    if (value.kind !== 'map') continue;
    const type = scalarAt(value, 'type')?.value;
    const description = scalarAt(value, 'description')?.value;
    const byDefault = scalarAt(value, 'default');
    const choices = value.entries.get('enum')?.value;
    params.set(name, {
      name,
      type: types.has(type) ? (type as ParamType) : 'string',
      place: keyPlace,
      fromCwd: scalarAt(value, 'relative_to')?.value === 'cwd',
      ...(typeof description === 'string' ? { description } : {}),
      ...(byDefault === undefined ? {} : { default: byDefault }),
      ...(choices?.kind === 'list' ? { choices: choices.items.flatMap(scalarChoice) } : {}),
    });
  }
  return params;
}

function scalarAt(map: MapNode, key: string): ScalarNode | undefined {
  const node = map.entries.get(key)?.value;
  return node?.kind === 'scalar' && node.value !== null ? node : undefined;
}

function scalarChoice(node: ConfigNode): (string | number | boolean)[] {
  if (node.kind !== 'scalar' || node.value === null || typeof node.value === 'bigint') return [];
  return [node.value];
}

export interface BindOptions {
  /** `name=value`, as given with --set; of two for one name the last counts. */
  readonly set: readonly string[];
  /** Absolute folder that relative paths in `set` start from. */
  readonly setBase: string;
  /** Whether a parameter without default and --set is a finding (it is for a run, it is not for lint). */
  readonly requireAll: boolean;
  readonly scope: Omit<Scope, 'params'>;
}

/** The value of every parameter, with its type; `unknown` where there is none. */
export function bindParams(
  params: ReadonlyMap<string, Param>,
  { set, setBase, requireAll, scope }: BindOptions,
  findings: Findings,
): Map<string, ScalarNode> {
  const given = new Map<string, ScalarNode>();
  set.forEach((text, index) => {
    const equals = text.indexOf('=');
    const place = { file: '--set', line: index + 1, column: 1 };
    const name = equals < 0 ? text : text.slice(0, equals);
    if (equals < 1) {
      findings.add(place, 'bad-set', `"${text}": --set takes name=value`);
    } else if (!params.has(name)) {
      findings.add(place, 'unknown-param', `the pipeline has no parameter "${name}"${suggestion(name, params.keys())}`);
    } else {
      const valuePlace = { ...place, column: equals + 2 };
      given.set(name, { kind: 'scalar', place: valuePlace, value: text.slice(equals + 1), base: setBase });
    }
  });

  const bound = new Map<string, ScalarNode>();
  for (const param of params.values()) {
    const scalar = given.get(param.name) ?? defaultOf(param, setBase, scope, findings);
    if (scalar !== undefined) {
      bound.set(param.name, typed(param, scalar, given.has(param.name) || scalar.fromEnvironment === true, findings));
      continue;
    }
    if (requireAll) {
      findings.add(
        param.place,
        'param-unset',
        `parameter "${param.name}" has no default: give it with --set ${param.name}=…`,
      );
    }
    bound.set(param.name, { kind: 'scalar', place: param.place, value: '', base: setBase, unknown: true });
  }
  return bound;
}

function defaultOf(
  param: Param,
  cwd: string,
  scope: Omit<Scope, 'params'>,
  findings: Findings,
): ScalarNode | undefined {
  if (param.default === undefined) return undefined;
  const why = 'the default of a parameter may refer to the environment only, as ${ENV:NAME}';
  const expanded = expandScalar(param.default, { ...scope, params: undefined, why }, findings);
  return param.fromCwd ? { ...expanded, base: cwd } : expanded;
}

/** Gives a parameter's value its declared type. Text (from --set, the environment) is parsed; YAML values must have it. */
function typed(param: Param, scalar: ScalarNode, isText: boolean, findings: Findings): ScalarNode {
  if (scalar.unknown) return scalar;
  const value = isText ? parseAs(param.type, String(scalar.value)) : ofType(param.type, scalar.value);
  if (value === undefined) {
    findings.add(
      scalar.place,
      'wrong-type',
      `parameter "${param.name}": expected ${param.type}, got ${show(scalar.value)}`,
    );
    return { ...scalar, unknown: true };
  }
  if (param.choices !== undefined && !param.choices.includes(value)) {
    const hint = suggestion(String(value), param.choices.map(String));
    findings.add(scalar.place, 'bad-value', `parameter "${param.name}": ${show(value)} is none of its values${hint}`);
    return { ...scalar, unknown: true };
  }
  const { fromEnvironment, ...rest } = scalar;
  return { ...rest, value };
}

/** Text as a value of a type; undefined when it is none. Numbers as JSON writes them, with an optional sign. */
export function parseAs(type: ParamType, text: string): string | number | boolean | undefined {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (!/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined;
  return ofType(type, Number(text)) as number | undefined;
}

function ofType(type: ParamType, value: ScalarNode['value']): string | number | boolean | undefined {
  if (typeof value === 'number') {
    if (type === 'integer') return Number.isSafeInteger(value) ? value : undefined;
    return type === 'number' && Number.isFinite(value) ? value : undefined;
  }
  return typeof value === type && typeof value !== 'bigint' ? (value as string | boolean) : undefined;
}

const show = (value: ScalarNode['value']) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
