/** What a process holds for stacks beyond those of the goroutines in its profile. */
import { ItemError, type ItemInfo } from '../../../core/index.js';
import type { StackspaceOptions } from '../../../schemas/gen/options/stackspace.js';
import type { ProcessReport } from './report.js';

/** Of each thread, for handlers of signals. Source: src/runtime/os_linux.go mpreinit. */
const SIGNAL_STACK_BYTES = 32 * 1024;
/** Of each thread but the first, without cgo, for the scheduler. Source: src/runtime/proc.go allocm. */
const SYSTEM_STACK_BYTES = 16 * 1024;

export interface ProcessStacks {
  readonly signalBytes: number;
  readonly systemBytes: number;
  readonly restBytes: number;
  readonly report: ProcessReport;
}

/**
 * @param goroutineBytes of all stacks in the profile, at least
 * @returns undefined when `stacks_bytes` is not known
 * @throws ItemError E_STACKS_BYTES when it is less than the goroutines have, or is given for more than one profile
 */
export function processStacks(
  { stacks_bytes: stacksBytes, threads }: Pick<StackspaceOptions, 'stacks_bytes' | 'threads'>,
  goroutineBytes: number,
  usesCgo: () => boolean,
  item: Pick<ItemInfo, 'index'>,
): ProcessStacks | undefined {
  if (stacksBytes === 0) return undefined;
  if (item.index > 0) {
    throw new ItemError(
      'E_STACKS_BYTES',
      'stacks_bytes is of one process at one time: it cannot hold for several profiles',
    );
  }
  if (stacksBytes < goroutineBytes) {
    throw new ItemError(
      'E_STACKS_BYTES',
      `stacks_bytes is ${stacksBytes}, but the goroutines of the profile need ${goroutineBytes}: not of the same time or process`,
    );
  }
  let restBytes = stacksBytes - goroutineBytes;
  const take = (bytes: number): number => {
    const taken = Math.min(bytes, restBytes);
    restBytes -= taken;
    return taken;
  };
  const signalBytes = take(threads * SIGNAL_STACK_BYTES);
  const systemBytes = threads === 0 || usesCgo() ? 0 : take(Math.max(0, threads - 1) * SYSTEM_STACK_BYTES);
  return {
    signalBytes,
    systemBytes,
    restBytes,
    report: { signalBytes: BigInt(signalBytes), systemBytes: BigInt(systemBytes), restBytes: BigInt(restBytes) },
  };
}
