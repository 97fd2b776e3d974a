/** One run at a time: a file beside the checkpoint that names the process. A process that is gone holds nothing. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart, UsageError } from '../../../core/index.js';

export interface Lock {
  release(): void;
}

/** A lock without text is one that is being written, for so long; then its process was ended in between. */
const UNWRITTEN_MS = 2_000;
const LOOK_MS = 50;

/** @throws UsageError in-use, with the process that holds it */
export async function takeLock(path: string): Promise<Lock> {
  const own = `${process.pid} ${await processStart(process.pid)}\n`;
  for (let unwrittenMs = 0; ; ) {
    try {
      writeFileSync(path, own, { flag: 'wx' });
      return { release: () => rmSync(path, { force: true }) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        throw new UsageError('in-use', `cannot lock ${path}: ${message}`, { option: ['checkpoint'] });
    }
    const text = readIfThere(path);
    if (text === '' && unwrittenMs < UNWRITTEN_MS) {
      unwrittenMs += LOOK_MS;
      await sleep(LOOK_MS);
      continue;
    }
    const holder = await livingHolder(text);
    if (holder !== undefined) {
      throw new UsageError('in-use', `process ${holder} uses this checkpoint; ${path} is its lock`, {
        option: ['checkpoint'],
      });
    }
    rmSync(path, { force: true });
  }
}

async function livingHolder(text = ''): Promise<string | undefined> {
  const [pid = '', start] = text.trim().split(' ');
  return /^\d+$/.test(pid) && (await processStart(Number(pid))) === start ? pid : undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
