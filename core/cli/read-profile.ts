/** One profile for the tools on single files: any codec that decodes, told by the bytes. */
import { createBinaryStore } from '../binary/file-store.js';
import { defaultOptions } from '../config/default-options.js';
import { createContext } from '../engine/create-context.js';
import { chooseCodec, decodeWith, type NamedCodec } from '../engine/decode-input.js';
import { isInParts, mergeParts } from '../engine/parts.js';
import type { DecodeContext } from '../engine/plugin.js';
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
  const budget = new Budget();
  const bytes = await readInput(path, budget.limits.fileBytes, ExitCode.badInput);
  const signal = new AbortController().signal;
  const context = createContext(createBinaryStore({}, { signal }), {}, signal);
  const registry = await loadPlugins();
  const codecs: NamedCodec[] = [];
  for (const plugin of registry.codecs()) {
    if (!plugin.decodes) continue;
    const codec = await plugin.create(defaultOptions(plugin.schema), context);
    codecs.push({ plugin: registry.ref('codec', plugin.name), detect: plugin.detect, codec });
  }
  const item = { index: 0, name: path, uri: path, digest: new Uint8Array(32) };
  const itemContext: DecodeContext = {
    item,
    limits: budget.limits,
    signal,
    count: () => {},
    warn: (code, message) => err.line(`${path}: warning ${code}: ${message}`),
    breaksOff: (error) => err.line(`${path}: warning ${error.code}: ${error.describe()}`),
  };
  return guardFormat(path, async () => {
    const input = openInput(bytes, budget);
    const { codec } = await chooseCodec(input, codecs, itemContext.warn);
    const decoded = await decodeWith(codec, input, itemContext);
    return isInParts(decoded) ? mergeParts(decoded, async (part) => part, itemContext.warn) : decoded;
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
