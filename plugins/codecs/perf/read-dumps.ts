/** The jitdumps that the option names. */
import { readJitdump } from '../../../core/binaries.js';
import { Budget, bytesSource, type CreateContext, FormatError } from '../../../core/index.js';
import { type MadeCode, madeCode, type NamedDump } from './made-code.js';

/** How a dump in a folder is called. */
const DUMP = /(^|\/)jit-\d+\.dump$/;

/** @param paths of dumps, or of folders of them @throws Error that names the path, and the place in the dump */
export function readDumps(paths: readonly string[], context: CreateContext): MadeCode {
  const dumps = paths.flatMap((path) => {
    const files = context.listFiles(path);
    return files.length === 1 && files[0] === path ? files : files.filter((file) => DUMP.test(file));
  });
  return madeCode(dumps.map((path) => readDump(path, context)));
}

function readDump(path: string, context: CreateContext): NamedDump {
  try {
    return { path, dump: readJitdump(bytesSource(context.readFile(path), path), new Budget(context.limits)) };
  } catch (error) {
    if (error instanceof FormatError) throw new Error(`${path}: ${error.describe()}`, { cause: error });
    throw error;
  }
}
