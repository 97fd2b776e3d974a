/**
 * A look at a pipeline in a process of its own, whose modules are loaded as they are now: Node never loads one twice. It gets the
 * pipeline and the values of `--set` as arguments, and answers with one message.
 */
import type { Finding } from '../../config/finding.js';
import { PluginRefusal, UsageError } from '../../engine/contract/errors.js';
import { loadPlan, refusalFinding } from '../load-plan.js';
import { CallProblem } from '../verb.js';
import { filesOfPipeline, hasInputFiles, inputsOf, takesStdin } from './watched-files.js';

export interface Examined {
  readonly findings: readonly Finding[];
  /** What is wrong, where that has no place in the pipeline. */
  readonly problem?: string;
  /** Absolute; folders end with a slash. Of a pipeline that cannot be read, nothing. */
  readonly files: readonly string[];
  readonly readsStdin: boolean;
  /** To be masked in what is said of it. */
  readonly secrets: readonly string[];
}

async function examine(name: string, set: readonly string[]): Promise<Examined> {
  const currentFolder = process.cwd();
  let secrets: readonly string[] = [];
  const mask = (found: readonly string[]) => {
    secrets = found;
  };
  const { plan, findings, uses, pipeline } = await loadPlan(
    {
      argument: () => name,
      texts: () => set,
      currentFolder,
      environment: process.env,
      out: { mask },
      err: { mask },
    },
    { requireParams: true },
  );
  const files = pipeline === undefined ? [] : filesOfPipeline(pipeline, uses);
  const readsStdin = plan !== undefined && takesStdin(plan);
  const known = { findings, files, readsStdin, secrets };
  if (plan === undefined || readsStdin || !hasInputFiles(uses)) return known;
  try {
    return { ...known, files: [...files, ...(await inputsOf(plan))] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const refusal = error instanceof PluginRefusal ? refusalFinding(error, uses) : undefined;
    return refusal === undefined ? { ...known, problem: error.message } : { ...known, findings: [refusal] };
  }
}

const [name = '', ...set] = process.argv.slice(2);
let examined: Examined;
try {
  examined = await examine(name, set);
} catch (error) {
  if (!(error instanceof CallProblem)) throw error;
  examined = { findings: [], problem: error.message, files: [], readsStdin: false, secrets: [] };
}
process.send!(examined, () => process.disconnect());
