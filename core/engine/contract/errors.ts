/** What goes wrong while a pipeline runs, as data: errors lose their fields when they cross threads, records do not. */
import { fileURLToPath } from 'node:url';
import { maskSecrets } from '../../config/secrets.js';
import { FormatError } from '../../formats/errors.js';
import type { PluginRef } from './places.js';

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
  readonly pluginVersion?: string;
  /** Of a third party's plugin: the file and, where an error says it, the place in it: "/p/plugin.js:12:3". */
  readonly pluginAt?: string;
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

/** An input that failed, and where its dead letter is, if one was written. */
export type FailedItem = ItemFailure & { readonly deadLetter?: string };

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
/** Of a message: a plugin may put all of its input there. */
const MAX_MESSAGE_CHARS = 2_000;

export interface FailurePlace {
  readonly uri: string;
  readonly index: number;
  readonly stage: string;
  readonly plugin?: PluginRef | undefined;
}

/** Any thrown value as a failure of an item. What is no FormatError or ItemError is blamed on the plugin. */
export function describeFailure(thrown: unknown, { uri, index, stage, plugin }: FailurePlace): ItemFailure {
  const at =
    plugin?.module === undefined ? undefined : (placeIn(plugin.module, thrown) ?? fileURLToPath(plugin.module));
  const where = {
    uri,
    index,
    stage,
    ...(plugin === undefined ? {} : { plugin: plugin.name, pluginVersion: plugin.version }),
    ...(at === undefined ? {} : { pluginAt: at }),
  };
  try {
    const { code, message, ...place } = describeThrown(thrown, plugin !== undefined);
    return { code, message, ...where, ...place, ...causesOf(thrown) };
  } catch {
    return { code: 'E_PLUGIN_THREW', message: 'threw a value that cannot be shown', ...where };
  }
}

/** Errors of a plugin that brings a copy of this package of its own are told by their names. */
function describeThrown(
  thrown: unknown,
  isPlugin: boolean,
): Pick<ItemFailure, 'code' | 'message'> & Partial<ItemFailure> {
  if (isFormatError(thrown)) {
    const { section, offset, got, limit } = thrown.place;
    return {
      code: thrown.code,
      message: shorten(thrown.describe()),
      ...(section === undefined ? {} : { section }),
      ...(offset === undefined ? {} : { offset }),
      ...(got === undefined ? {} : { got: String(got) }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
    };
  }
  if (!(thrown instanceof Error)) {
    return { code: 'E_PLUGIN_THREW', message: shorten(`threw a value that is no Error: ${String(thrown)}`) };
  }
  const code = codeOf(thrown);
  if (thrown.name === 'ItemError' && code !== undefined) return { code, message: shorten(String(thrown.message)) };
  const line = firstFrame(thrown);
  const message = shorten(`${thrown.name}: ${thrown.message}${line === undefined ? '' : ` (${line})`}`);
  return { code: isPlugin ? 'E_PLUGIN_THREW' : (code ?? 'E_INTERNAL'), message };
}

function isFormatError(thrown: unknown): thrown is FormatError {
  if (thrown instanceof FormatError) return true;
  if (!(thrown instanceof Error) || thrown.name !== 'FormatError' || codeOf(thrown) === undefined) return false;
  const { place, describe } = thrown as Partial<FormatError>;
  return typeof place === 'object' && typeof describe === 'function';
}

function shorten(message: string): string {
  return message.length <= MAX_MESSAGE_CHARS ? message : `${message.slice(0, MAX_MESSAGE_CHARS)} …`;
}

/** The same failure without secrets: what may be written and shown. */
export function maskFailure(failure: ItemFailure, secrets: readonly string[]): ItemFailure {
  if (secrets.length === 0) return failure;
  const mask = (text: string): string => maskSecrets(text, secrets);
  return {
    ...failure,
    uri: mask(failure.uri),
    message: mask(failure.message),
    ...(failure.pluginAt === undefined ? {} : { pluginAt: mask(failure.pluginAt) }),
    ...(failure.cause === undefined ? {} : { cause: failure.cause.map(mask) }),
  };
}

function codeOf(error: Error): string | undefined {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}

/** File and line where an error was made: what a plugin's author wants to see first. */
function firstFrame(error: Error): string | undefined {
  return framesOf(error)[0];
}

function framesOf(error: Error): string[] {
  return String(error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
}

/** The innermost place of an error's stack that is in a module's folder: "/p/plugin.js:12:3". */
function placeIn(module: string, thrown: unknown): string | undefined {
  try {
    const folder = fileURLToPath(new URL('.', module));
    const places = thrown instanceof Error ? framesOf(thrown).map(placeOfFrame) : [];
    return places.find((place) => place?.startsWith(folder));
  } catch {
    return undefined;
  }
}

/** `at f (file:///p/plugin.js:12:3)` of an ES module, `at f (/p/plugin.cjs:12:3)` of another. */
function placeOfFrame(frame: string): string | undefined {
  const [, path, position] = /((?:file:\/\/)?\/[^()]*)(:\d+:\d+)\)?$/.exec(frame) ?? [];
  if (path === undefined) return undefined;
  return `${path.startsWith('file:') ? fileURLToPath(path) : path}${position}`;
}

function causesOf(thrown: unknown): Pick<ItemFailure, 'cause'> {
  const causes: string[] = [];
  let below = thrown instanceof Error ? thrown.cause : undefined;
  for (let depth = 0; below !== undefined && depth < MAX_CAUSES; depth++) {
    const text = shorten(below instanceof FormatError ? below.describe() : String(below));
    if (text !== causes.at(-1)) causes.push(text);
    below = below instanceof Error ? below.cause : undefined;
  }
  return causes.length === 0 ? {} : { cause: causes };
}
