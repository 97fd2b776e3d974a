/** Which functions the options name. */
import {
  compilePattern,
  type FunctionInfo,
  goPackage,
  isRuntimePackage,
  isStandardPackage,
  type OptionProblem,
  UsageError,
} from '../../../core/index.js';
import type { FoldOptions } from '../../../schemas/gen/options/fold.js';

/** @throws UsageError E_PATTERN */
export async function foldedFunctions(options: FoldOptions): Promise<(info: FunctionInfo) => boolean> {
  const pattern = await compilePattern('functions', options.functions);
  const packages = options.packages.map(packageTest);
  return (info) => {
    if (pattern?.test(info.name)) return true;
    if (packages.length === 0) return false;
    const path = packageOf(info);
    return path !== undefined && packages.some((holds) => holds(path));
  };
}

export async function foldProblems(options: FoldOptions): Promise<OptionProblem[]> {
  try {
    await foldedFunctions(options);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ path: error.option, message: error.message }];
  }
}

function packageTest(wanted: string): (path: string) => boolean {
  if (wanted === 'std') return isStandardPackage;
  if (wanted === 'runtime') return isRuntimePackage;
  return (path) => path === wanted || path.startsWith(`${wanted}/`);
}

/**
 * By the name; assembly has names without a package (`memeqbody`), but files in the folder of one. What the compiler makes for types
 * (`type:.eq.main.Key`) is the runtime's: it is what calls them.
 */
function packageOf({ name, filename }: FunctionInfo): string | undefined {
  if (/^(type|go):/.test(name)) return 'runtime';
  return goPackage(name) ?? /^(?:.*\/src\/)?([^/].*)\/[^/]+\.s$/.exec(filename)?.[1];
}
