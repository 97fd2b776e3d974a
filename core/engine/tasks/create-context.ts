/** What plugins get when they are made. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryStore } from '../../binary/store.js';
import { openInput } from '../../formats/compression/input.js';
import { FormatError } from '../../formats/errors.js';
import { Budget, type Limits } from '../../formats/limits.js';
import { itemName } from '../contract/item-name.js';
import type { CreateContext, DecodeContext } from '../contract/plugin.js';
import { chooseCodec, decodeWith, type NamedCodec } from './decode-input.js';
import { isInParts, mergeParts } from './parts.js';
import { readSideFile } from './read-item.js';

/** @param codecs that decode, asked when a profile is read: none where plugins are made that read none */
export function createContext(
  binaries: BinaryStore,
  limits: Partial<Limits>,
  signal: AbortSignal,
  codecs: readonly NamedCodec[] = [],
): CreateContext {
  const budget = new Budget(limits);
  return {
    binaries,
    limits: budget.limits,
    signal,
    readFile(path) {
      try {
        return readSideFile(path, budget);
      } catch (error) {
        throw naming(path, error);
      }
    },
    listFiles(path) {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
      const entries = readdirSync(path, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
      return entries.map(({ name }) => join(path, name)).sort();
    },
    async readProfile(path) {
      const own = new Budget(limits);
      const item = { index: 0, name: itemName(path), uri: path, digest: new Uint8Array(32) };
      let broken: FormatError | undefined;
      const context: DecodeContext = {
        item,
        limits: own.limits,
        signal,
        count: () => {},
        warn: () => {},
        breaksOff: (error) => {
          broken = error;
        },
      };
      try {
        const input = openInput(readSideFile(path, own), own);
        const { codec } = await chooseCodec(input, codecs, context.warn);
        const decoded = await decodeWith(codec, input, context);
        const profile = isInParts(decoded) ? await mergeParts(decoded, async (part) => part, context.warn) : decoded;
        if (broken !== undefined) throw broken;
        return profile;
      } catch (error) {
        throw naming(path, error);
      }
    },
  };
}

function naming(path: string, error: unknown): Error {
  const why = error instanceof FormatError ? error.describe() : (error as Error).message;
  return new Error(`${path}: ${why}`, { cause: error });
}
