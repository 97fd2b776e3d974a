/** One call of `pipe`: parse, run the verb, and turn whatever is thrown into a message and an exit code. */
import { ExitCode } from './exit-codes.js';
import { type ColorMode, Output } from './output.js';
import { type ParsedCall, parseCall, writtenOut } from './parse-call.js';
import type { LogFormat } from './run/log.js';
import type { Interruption } from './signals.js';
import { type Call, CallProblem } from './verb.js';
import { allVerbs, verbsOf } from './verbs/index.js';
import { packageVersion } from './version.js';

/** @returns the exit code */
export async function main(typed: readonly string[], interruption: Interruption): Promise<number> {
  const args = writtenOut(typed);
  let out = new Output(process.stdout, 'auto');
  let err = new Output(process.stderr, 'auto');
  let logFormat: LogFormat | undefined;
  try {
    if (args[0] === '--get-completions') {
      const { completions } = await import('./complete.js');
      for (const word of await completions(args.slice(1), await allVerbs())) out.line(word);
      return ExitCode.ok;
    }
    if (args.length === 0) {
      const { helpText } = await import('./help.js');
      err.text(await helpText([], await allVerbs()));
      return ExitCode.usage;
    }
    const parsed = parseCall(args, await verbsOf(args));
    logFormat = parsed.values.get('log-format')?.[0] as LogFormat | undefined;
    out = new Output(process.stdout, parsed.color as ColorMode);
    err = new Output(process.stderr, parsed.color as ColorMode);
    if (parsed.isVersion) {
      out.line(packageVersion());
      return ExitCode.ok;
    }
    const call = makeCall(args, parsed, out, err, interruption);
    if (!parsed.isHelp) return await parsed.verb!.run(call);
    const { helpText } = await import('./help.js');
    const words = parsed.verb?.words ?? args.filter((arg) => !arg.startsWith('-'));
    out.text(await helpText(words, await allVerbs()));
    for (const line of (await parsed.verb?.moreHelp?.(call)) ?? []) out.line(line);
    return ExitCode.ok;
  } catch (error) {
    return await report(error, args.includes('--json'), logFormat, out, err);
  } finally {
    out.flush();
    err.flush();
  }
}

function makeCall(
  words: readonly string[],
  { values }: ParsedCall,
  out: Output,
  err: Output,
  interruption: Interruption,
): Call {
  const texts = (name: string) => (values.get(name) ?? []).map(String);
  const text = (name: string) => texts(name)[0];
  return {
    words,
    argument: (name) => text(name) ?? '',
    rest: texts,
    flag: (name) => values.has(name),
    text,
    texts,
    count: (name) => (values.has(name) ? Number(text(name)) : undefined),
    out,
    err,
    interruption,
    currentFolder: currentFolder(),
    environment: process.env,
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    throw new CallProblem(code, 'the current folder is gone, or not for you to see', ExitCode.usage);
  }
}

/** In JSON mode the error is the result, so that whoever parses stdout always finds an object there. */
async function report(
  error: unknown,
  isJson: boolean,
  logFormat: LogFormat | undefined,
  out: Output,
  err: Output,
): Promise<number> {
  const { code, message, exitCode } = describe(error);
  if (isJson) out.json({ version: 1, exitCode, error: { code, message } });
  const stack = exitCode === ExitCode.internal && error instanceof Error ? await writtenStack(error) : undefined;
  if (logFormat !== undefined) {
    const { Log } = await import('./run/log.js');
    const log = await Log.open(err, logFormat);
    log.line('error', 'refused', message, { code, exitCode, ...(stack && { stack }) });
    return exitCode;
  }
  err.line({ text: 'pipe: ', style: 'red' }, message);
  if (stack !== undefined) {
    for (const line of stack.split('\n').slice(1)) err.line({ text: line, style: 'dim' });
    err.line('This is a bug in profpipe; please report it with the lines above.');
  }
  return exitCode;
}

async function writtenStack({ stack }: Error): Promise<string | undefined> {
  const { sourceStack } = await import('./source-places.js');
  return stack && sourceStack(stack);
}

/** By name rather than by class: a linked plugin may bring a second copy of the core. */
function describe(error: unknown): { code: string; message: string; exitCode: number } {
  if (error instanceof CallProblem) return error;
  if (!(error instanceof Error)) return { code: 'internal', message: String(error), exitCode: ExitCode.internal };
  const code = (error as { code?: unknown }).code;
  if (error.name === 'UsageError') return { code: String(code), message: error.message, exitCode: ExitCode.usage };
  return { code: 'internal', message: `${error.name}: ${error.message}`, exitCode: ExitCode.internal };
}
