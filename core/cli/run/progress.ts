/** A bar on stderr while a run goes on. */
import type { RunProgress } from '../../engine/run.js';

export interface Progress {
  readonly update: (progress: RunProgress) => void;
  readonly end: () => void;
}

/** @param isWanted without it nothing is loaded and nothing is shown */
export async function showProgress(isWanted: boolean): Promise<Progress> {
  if (!isWanted) return { update: () => {}, end: () => {} };
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    format: '{bar} {value}/{total} profiles, {failed} bad, {duration_formatted}',
    clearOnComplete: true,
    hideCursor: true,
    // Its own handler would end the process in the middle of a drain.
    gracefulExit: false,
  });
  let isStarted = false;
  return {
    update({ done, failed, total }) {
      // A run that is over by the first report needs no bar.
      if (!isStarted && done === total) return;
      if (!isStarted) bar.start(total ?? Math.max(1, done), done, { failed });
      isStarted = true;
      bar.setTotal(total ?? Math.max(1, done));
      bar.update(done, { failed });
    },
    end: () => bar.stop(),
  };
}
