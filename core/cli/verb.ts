/** What a verb of the command line is: data for the parser, for help and completion, and the work behind it. */
import type { Output } from './output.js';
import type { Interruption } from './signals.js';

export interface OptionSpec {
  readonly describe: string;
  /** `flag` takes no value, `text` one, `texts` may be given several times, `count` is a whole number. */
  readonly kind: 'flag' | 'text' | 'texts' | 'count';
  readonly choices?: readonly string[];
  /** Smallest `count`; 0 by default. */
  readonly least?: number;
}

export interface PositionalSpec {
  readonly name: string;
  readonly describe: string;
  readonly isOptional?: true;
  /** Takes all that follow; only the last may. */
  readonly isMany?: true;
  readonly choices?: readonly string[];
}

export interface Verb {
  /** ["run"], ["profile", "top"] */
  readonly words: readonly string[];
  readonly summary: string;
  readonly positionals: readonly PositionalSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** At least one: a call and what it does. */
  readonly examples: readonly (readonly [call: string, what: string])[];
  /** @returns the exit code @throws CallProblem */
  run(call: Call): Promise<number>;
  /** What `--help` says besides, once it is known what the verb is called on. */
  moreHelp?(call: Call): Promise<readonly string[]>;
  /** Values of a positional, for completion. */
  complete?(positional: string): Promise<readonly string[]>;
}

/** One call of a verb. */
export interface Call {
  /** As it was typed, the verb's own words included. */
  readonly words: readonly string[];
  /** A positional that must be there. */
  argument(name: string): string;
  /** A positional that may be absent, or many. */
  rest(name: string): readonly string[];
  flag(option: string): boolean;
  text(option: string): string | undefined;
  texts(option: string): readonly string[];
  count(option: string): number | undefined;
  /** Results. */
  readonly out: Output;
  /** Everything else. */
  readonly err: Output;
  readonly interruption: Interruption;
  readonly currentFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Something wrong with a call or with a file that it names: said in one line, without a stack. */
export class CallProblem extends Error {
  override readonly name = 'CallProblem';
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}
