/** One call of `pipe`: parse, run the verb, and turn whatever is thrown into a message and an exit code. */
import { ExitCode } from './exit-codes.js';
import { type ColorMode, Output } from './output.js';
import { completions, helpText, type ParsedCall, parseCall } from './parse-call.js';
import type { Interruption } from './signals.js';
import { type Call, CallProblem } from './verb.js';
import { verbs } from './verbs/index.js';
import { packageVersion } from './version.js';

/** @returns the exit code */
export async function main(args: readonly string[], interruption: Interruption): Promise<number> {
  if (args[0] === '--get-completions') return complete(args.slice(1));
  let out = new Output(process.stdout, 'auto');
  let err = new Output(process.stderr, 'auto');
  try {
    const parsed = parseCall(args, verbs);
    out = new Output(process.stdout, parsed.color as ColorMode);
    err = new Output(process.stderr, parsed.color as ColorMode);
    if (parsed.values.get('version') === true) {
      out.line(packageVersion());
      return ExitCode.ok;
    }
    const call = makeCall(parsed, out, err, interruption);
    if (!parsed.isHelp) return await parsed.verb!.run(call);
    out.text(await helpText(args, verbs));
    for (const line of (await parsed.verb?.moreHelp?.(call)) ?? []) out.line(line);
    return ExitCode.ok;
  } catch (error) {
    return report(error, args.includes('--json'), out, err);
  } finally {
    out.flush();
    err.flush();
  }
}

function makeCall({ verb, values }: ParsedCall, out: Output, err: Output, interruption: Interruption): Call {
  const list = (name: string) => [values.get(name) ?? []].flat().map(String);
  const text = (name: string) => list(name)[0];
  return {
    argument: (name) => text(name) ?? '',
    rest: list,
    flag: (name) => values.get(name) === true,
    text,
    texts: list,
    count: (name) => (verb?.options[name] === undefined || text(name) === undefined ? undefined : Number(text(name))),
    out,
    err,
    interruption,
    currentFolder: process.cwd(),
    environment: process.env,
  };
}

/** In JSON mode the error is the result, so that whoever parses stdout always finds an object there. */
function report(error: unknown, isJson: boolean, out: Output, err: Output): number {
  const { code, message, exitCode } = describe(error);
  if (isJson) out.json({ version: 1, exitCode, error: { code, message } });
  err.line({ text: 'pipe: ', style: 'red' }, message);
  if (exitCode === ExitCode.internal && error instanceof Error) {
    for (const line of (error.stack ?? '').split('\n').slice(1)) err.line({ text: line, style: 'dim' });
    err.line('This is a bug in profpipe; please report it with the lines above.');
  }
  return exitCode;
}

/** By name rather than by class: a linked plugin may bring a second copy of the core. */
function describe(error: unknown): { code: string; message: string; exitCode: number } {
  if (error instanceof CallProblem) return error;
  if (!(error instanceof Error)) return { code: 'internal', message: String(error), exitCode: ExitCode.internal };
  const code = (error as { code?: unknown }).code;
  if (error.name === 'UsageError') return { code: String(code), message: error.message, exitCode: ExitCode.usage };
  return { code: 'internal', message: `${error.name}: ${error.message}`, exitCode: ExitCode.internal };
}

async function complete(words: readonly string[]): Promise<number> {
  const out = new Output(process.stdout, 'never');
  const verb = verbs.find((known) => known.words.every((word, index) => words[index] === word));
  const isAtArgument = verb !== undefined && words.length === verb.words.length + 1;
  const own = isAtArgument ? ((await verb.complete?.(verb.positionals[0]?.name ?? '')) ?? []) : [];
  const current = words.at(-1) ?? '';
  const found: readonly string[] = own.length > 0 && !current.startsWith('-') ? own : await completions(words, verbs);
  for (const word of found) if (word.startsWith(current)) out.line(word);
  out.flush();
  return ExitCode.ok;
}
