/** Where a worker thread is that does not come back. */
import { within } from '../../plugins/main-thread.js';
import { type InspectedWorker, Inspector } from './inspector.js';

/** For the thread to be found and to answer: a tenth of it does, but on a machine that is busy. */
const ANSWER_MS = 3_000;
/** Until it halts, once it is told to: at its next call or turn of a loop. One that only waits for something never does. */
const HALT_MS = 1_000;

interface PausedEvent {
  readonly callFrames: readonly {
    readonly functionName: string;
    readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number };
  }[];
}

/**
 * Halts the thread, reads its stack and lets it go on.
 * @returns lines as an Error's `stack` has them, innermost first; undefined when no JavaScript runs there, or it does not answer in time
 */
export async function stackOfThread(threadId: number): Promise<string | undefined> {
  let found: (worker: InspectedWorker) => void = () => {};
  const worker = new Promise<InspectedWorker>((resolve) => {
    found = resolve;
  });
  const inspector = new Inspector((each) => {
    if (each.threadId === threadId) found(each);
  });
  try {
    const halting = await within(ANSWER_MS, worker.then(halt));
    return await within(HALT_MS, halting.stack);
  } catch {
    return undefined;
  } finally {
    // A halted thread cannot be ended.
    const release = worker.then((each) => each.ask('Debugger.disable'));
    await within(ANSWER_MS, release).catch(() => {});
    inspector.close();
  }
}

async function halt(worker: InspectedWorker): Promise<{ readonly stack: Promise<string> }> {
  const urls = new Map<string, string>();
  worker.on('Debugger.scriptParsed', (params) => {
    const { scriptId, url } = params as { readonly scriptId: string; readonly url: string };
    urls.set(scriptId, url);
  });
  const stack = new Promise<string>((resolve) => {
    worker.on('Debugger.paused', (params) => {
      const frames = (params as PausedEvent).callFrames.map(({ functionName, location }) => {
        const { scriptId, lineNumber, columnNumber = 0 } = location;
        const place = `${urls.get(scriptId) || '<unknown>'}:${lineNumber + 1}:${columnNumber + 1}`;
        return functionName === '' ? `    at ${place}` : `    at ${functionName} (${place})`;
      });
      resolve(frames.join('\n'));
    });
  });
  await worker.ask('Debugger.enable');
  await worker.ask('Debugger.pause');
  return { stack };
}
