/** What goes wrong while a pipeline runs, as data: errors lose their fields when they cross threads, records do not. */
import { maskSecrets } from '../config/secrets.js';
import { FormatError } from '../formats/errors.js';

/** One item's failure, as it stands in the dead-letter folder and in the summary. */
export interface ItemFailure {
  /** Stable and machine-readable: E_GZIP_TRUNCATED, E_PLUGIN_THREW … */
  readonly code: string;
  readonly message: string;
  /** The item, as messages call it: a path, or "-". */
  readonly uri: string;
  /** Place in the order of the source. */
  readonly index: number;
  /** Where in the pipeline: "read", "decode", "stages[1]", "aggregate", "encode", "outputs[0]". */
  readonly stage: string;
  /** The plugin at work there, if one was. */
  readonly plugin?: string;
  /** Part of the file, in the format's words, and bytes into it. */
  readonly section?: string;
  readonly offset?: number;
  readonly got?: string;
  readonly limit?: string;
  /** The item was delivered nevertheless, as far as it was good. */
  readonly isDelivered?: true;
  /** Messages of the layers below, outermost first. */
  readonly cause?: readonly string[];
}

/** Something outside of the items that ends the run: disk full, the reader of stdout gone. Exit code 21, resumable. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The run was called wrongly, or cannot start: exit code 2, nothing was read or written. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code: string;
  /** Keys and indexes to the option that is wrong, where `create` of a plugin throws it. */
  readonly option: readonly (string | number)[];

  constructor(code: string, message: string, options?: ErrorOptions & { option?: readonly (string | number)[] }) {
    super(message, options);
    this.code = code;
    this.option = options?.option ?? [];
  }
}

/** A plugin's `create` throws: as data, to cross threads. */
export interface Refusal {
  readonly code: string;
  /** With the place in front: `stages[1].mark: …` */
  readonly message: string;
  /** "input.file", "stages[1].mark" */
  readonly where: string;
  /** Keys and indexes to the option that is wrong, as far as the plugin says. */
  readonly option: readonly (string | number)[];
}

export class PluginRefusal extends UsageError implements Refusal {
  readonly where: string;

  constructor({ code, message, where, option }: Refusal, options?: ErrorOptions) {
    super(code, message, { ...options, option });
    this.where = where;
  }
}

/** Runs a plugin's `create`. @throws PluginRefusal for whatever it throws */
export async function creating<T>(where: string, create: () => T | Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (thrown) {
    const { code, option } = thrown instanceof UsageError ? thrown : { code: 'plugin-refuses', option: [] };
    const path = option.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new PluginRefusal({ code, message: `${where}${path}: ${reason}`, where, option }, { cause: thrown });
  }
}

/** An error that a plugin or the engine gives a code, without being about bytes. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const MAX_CAUSES = 8;

/** Any thrown value as a failure of an item. What is no FormatError or ItemError is blamed on the plugin. */
export function describeFailure(
  thrown: unknown,
  at: { readonly uri: string; readonly index: number; readonly stage: string; readonly plugin?: string },
): ItemFailure {
  const where = {
    uri: at.uri,
    index: at.index,
    stage: at.stage,
    ...(at.plugin === undefined ? {} : { plugin: at.plugin }),
  };
  const cause = causesOf(thrown);
  const causes = cause.length === 0 ? {} : { cause };
  if (thrown instanceof FormatError) {
    const { section, offset, got, limit } = thrown.place;
    return {
      code: thrown.code,
      message: thrown.describe(),
      ...where,
      ...(section === undefined ? {} : { section }),
      ...(offset === undefined ? {} : { offset }),
      ...(got === undefined ? {} : { got: String(got) }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...causes,
    };
  }
  if (thrown instanceof ItemError) return { code: thrown.code, message: thrown.message, ...where, ...causes };
  if (thrown instanceof Error) {
    const code = at.plugin === undefined ? (codeOf(thrown) ?? 'E_INTERNAL') : 'E_PLUGIN_THREW';
    const line = firstFrame(thrown);
    const message = `${thrown.name}: ${thrown.message}${line === undefined ? '' : ` (${line})`}`;
    return { code, message, ...where, ...causes };
  }
  return { code: 'E_PLUGIN_THREW', message: `threw a value that is no Error: ${String(thrown)}`, ...where };
}

/** The same failure without secrets: what may be written and shown. */
export function maskFailure(failure: ItemFailure, secrets: readonly string[]): ItemFailure {
  if (secrets.length === 0) return failure;
  const mask = (text: string): string => maskSecrets(text, secrets);
  return {
    ...failure,
    uri: mask(failure.uri),
    message: mask(failure.message),
    ...(failure.cause === undefined ? {} : { cause: failure.cause.map(mask) }),
  };
}

function codeOf(error: Error): string | undefined {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}

/** File and line where an error was made: what a plugin's author wants to see first. */
function firstFrame(error: Error): string | undefined {
  return error.stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim();
}

function causesOf(thrown: unknown): string[] {
  const causes: string[] = [];
  let below = thrown instanceof Error ? thrown.cause : undefined;
  for (let depth = 0; below !== undefined && depth < MAX_CAUSES; depth++) {
    const text = below instanceof FormatError ? below.describe() : String(below);
    if (text !== causes.at(-1)) causes.push(text);
    below = below instanceof Error ? below.cause : undefined;
  }
  return causes;
}
