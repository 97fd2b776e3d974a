/** Who calls whom in a program whose chains are known: what is left of a stack that lost a frame or made one up breaks a rule. */
import type { UnwoundSample } from './unwound.js';

/** By function of the program: those of its functions that call it, one that ends in "_*" for all that begin so; "*" for code of other files. */
export type CallRules = { readonly [callee: string]: readonly string[] };

/** @param program path of the file that the rules are for @returns one line a broken rule: "callee < caller" */
export function brokenRules({ frames }: UnwoundSample, program: string, rules: CallRules): string[] {
  const broken: string[] = [];
  for (const [at, { name, file }] of frames.entries()) {
    const caller = frames[at + 1];
    const allowed = rules[name];
    if (file !== program || allowed === undefined || caller === undefined) continue;
    const isOfProgram = caller.file === program;
    if (allowed.some((rule) => (isOfProgram ? matches(rule, caller.name) : rule === '*'))) continue;
    broken.push(`${name} < ${isOfProgram ? caller.name : caller.file}`);
  }
  return broken;
}

function matches(rule: string, name: string): boolean {
  return rule.endsWith('_*') ? name.startsWith(rule.slice(0, -1)) : rule === name;
}
