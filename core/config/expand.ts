/**
 * `${name}` (a parameter), `${ENV:NAME}` (the environment) and `$${` (a literal `${`) in the strings of a pipeline.
 * `${group.FIELD}` stays a placeholder, `{group:FIELD}`, that a sink fills in for each group of an aggregate.
 * What comes in is never expanded again. A string that is nothing but one reference takes the parameter's value with its type.
 */
import type { Findings } from './finding.js';
import { suggestion } from './nearest.js';
import type { Secrets } from './secrets.js';
import type { Place, ScalarNode } from './tree.js';

export interface Scope {
  /** Values of the parameters, by name; undefined: no parameters may be used here (`why` says where "here" is). */
  readonly params: ReadonlyMap<string, ScalarNode> | undefined;
  readonly why?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What relative paths that come from the environment start from: the current folder. */
  readonly environmentBase: string;
  readonly secrets: Secrets;
  /** Whether fields of groups may be named: in outputs. */
  readonly groups?: boolean;
}

const reference = /\$\$\{|\$\{([^{}]*)\}?/g;

export function expandScalar(scalar: ScalarNode, scope: Scope, findings: Findings): ScalarNode {
  const text = scalar.value;
  if (typeof text !== 'string' || !text.includes('${')) return scalar;
  const whole = /^\$\{([^{}]*)\}$/.exec(text);
  const isGroup = (name: string) => scope.groups === true && /^group\../.test(name);
  if (whole !== null && !isGroup(whole[1]!))
    return { ...resolve(whole[1]!, scalar.place, scope, findings), place: scalar.place };

  const parts: ScalarNode[] = [];
  const literal = (value: string) => {
    if (value !== '') parts.push({ ...scalar, value });
  };
  let end = 0;
  for (const match of text.matchAll(reference)) {
    literal(text.slice(end, match.index));
    end = match.index + match[0].length;
    const name = match[1] ?? '';
    if (match[0] === '$${') literal('${');
    else if (!match[0].endsWith('}'))
      return broken(scalar, `"${text}": "\${" without "}"; "$\${" stands for "\${" itself`, findings);
    else if (isGroup(name)) literal(`{group:${name.slice('group.'.length)}}`);
    else parts.push(resolve(name, scalar.place, scope, findings));
  }
  literal(text.slice(end));
  if (parts.some((part) => part.unknown)) return { ...scalar, unknown: true };
  return {
    ...scalar,
    value: parts.map((part) => String(part.value)).join(''),
    base: parts.find((part) => part.value !== '')?.base ?? scalar.base,
  };
}

function resolve(name: string, place: Place, scope: Scope, findings: Findings): ScalarNode {
  const missing: ScalarNode = { kind: 'scalar', place, value: '', base: scope.environmentBase, unknown: true };
  if (name.startsWith('ENV:')) {
    const variable = name.slice('ENV:'.length);
    const value = Object.hasOwn(scope.environment, variable) ? scope.environment[variable] : undefined;
    if (value === undefined) {
      findings.add(place, 'env-unset', `the environment variable ${JSON.stringify(variable)} is not set`);
      return missing;
    }
    scope.secrets.add(value);
    return { kind: 'scalar', place, value, base: scope.environmentBase, fromEnvironment: true };
  }
  if (scope.params === undefined) {
    findings.add(place, 'bad-reference', `"\${${name}}": ${scope.why}`);
    return missing;
  }
  const bound = scope.params.get(name);
  if (bound === undefined) {
    findings.add(place, 'unknown-param', `no parameter "${name}"${suggestion(name, scope.params.keys())}`);
    return missing;
  }
  return bound;
}

function broken(scalar: ScalarNode, message: string, findings: Findings): ScalarNode {
  findings.add(scalar.place, 'bad-reference', message);
  return { ...scalar, unknown: true };
}
