/** One profile for the tools on single files: any codec that decodes, told by the bytes. */
import { defaultOptions } from '../config/default-options.js';
import type { CodecPlugin, DecodeContext } from '../engine/contract/plugin.js';
import { openBinaries } from '../engine/plugins/binaries.js';
import type { Registry } from '../engine/plugins/registry.js';
import { createContext } from '../engine/tasks/create-context.js';
import { chooseCodec, decodeWith, type NamedCodec } from '../engine/tasks/decode-input.js';
import { isInParts, mergeParts } from '../engine/tasks/parts.js';
import { openInput } from '../formats/compression/input.js';
import { FormatError } from '../formats/errors.js';
import { Budget } from '../formats/limits.js';
import type { Profile } from '../profile/profile.js';
import { ExitCode } from './exit-codes.js';
import { readInput } from './files.js';
import type { Output } from './output.js';
import { loadPlugins } from './plugins.js';
import { CallProblem } from './verb.js';

/** @param err gets the codec's warnings @throws CallProblem; exit code 20 for bytes that are no profile */
export async function readProfile(path: string, err: Output): Promise<Profile> {
  const bytes = await readInput(path, new Budget().limits.fileBytes, ExitCode.badInput);
  const registry = await loadPlugins();
  const decoding = registry.codecs().filter(({ decodes }) => decodes);
  return decodeBytes(bytes, { path, registry, codecs: decoding }, (code, message) => {
    err.line(`${path}: warning ${code}: ${message}`);
  });
}

export interface Decoding {
  /** How messages call the bytes. */
  readonly path: string;
  readonly registry: Registry;
  /** Asked for the bytes; a single one takes them as they are. */
  readonly codecs: readonly CodecPlugin[];
}

/** @throws CallProblem, exit code 20, for bytes that are no profile */
export async function decodeBytes(
  bytes: Uint8Array,
  { path, registry, codecs }: Decoding,
  warn: (code: string, message: string) => void,
): Promise<Profile> {
  const budget = new Budget();
  const signal = new AbortController().signal;
  const binaries = await openBinaries(codecs, {}, signal);
  const context = createContext(binaries, {}, signal);
  const made: NamedCodec[] = [];
  for (const plugin of codecs) {
    const codec = await plugin.create(defaultOptions(plugin.schema), context);
    const { detect, sharesParts = false } = plugin;
    made.push({ plugin: registry.ref('codec', plugin.name), detect, codec, sharesParts });
  }
  const item = { index: 0, name: path, uri: path, digest: new Uint8Array(32) };
  const itemContext: DecodeContext = {
    item,
    limits: budget.limits,
    signal,
    count: () => {},
    warn,
    breaksOff: (error) => warn(error.code, error.describe()),
  };
  return guardFormat(path, async () => {
    const input = openInput(bytes, budget);
    const { codec } = await chooseCodec(input, made, warn);
    const decoded = await decodeWith(codec, input, itemContext);
    return isInParts(decoded) ? mergeParts(decoded, async (part) => part, warn) : decoded;
  });
}

/** Bytes that are not what they should be: a bad input, with file and place. @throws CallProblem */
export async function guardFormat<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CallProblem(error.code, `${path}: ${error.describe()}`, ExitCode.badInput);
  }
}
