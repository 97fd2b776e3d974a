/** What plugins get when they are made. */
import type { BinaryStore } from '../binary/store.js';
import { FormatError } from '../formats/errors.js';
import { Budget, type Limits } from '../formats/limits.js';
import type { CreateContext } from './plugin.js';
import { readSideFile } from './read-item.js';

export function createContext(binaries: BinaryStore, limits: Partial<Limits>, signal: AbortSignal): CreateContext {
  const budget = new Budget(limits);
  return {
    binaries,
    limits: budget.limits,
    signal,
    readFile(path) {
      try {
        return readSideFile(path, budget);
      } catch (error) {
        const why = error instanceof FormatError ? error.describe() : (error as Error).message;
        throw new Error(`${path}: ${why}`, { cause: error });
      }
    },
  };
}
