/** One run at a time: a file beside the checkpoint that names the process. A process that is gone holds nothing. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { processStart, UsageError } from '../../../core/index.js';

export interface Lock {
  release(): void;
}

/** @throws UsageError in-use, with the process that holds it */
export async function takeLock(path: string): Promise<Lock> {
  const own = `${process.pid} ${await processStart(process.pid)}\n`;
  for (;;) {
    try {
      writeFileSync(path, own, { flag: 'wx' });
      return { release: () => rmSync(path, { force: true }) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        throw new UsageError('in-use', `cannot lock ${path}: ${message}`, { option: ['checkpoint'] });
    }
    const holder = await livingHolder(path);
    if (holder !== undefined) {
      throw new UsageError('in-use', `process ${holder} uses this checkpoint; ${path} is its lock`, {
        option: ['checkpoint'],
      });
    }
    rmSync(path, { force: true });
  }
}

async function livingHolder(path: string): Promise<string | undefined> {
  const [pid = '', start] = (readIfThere(path) ?? '').trim().split(' ');
  return /^\d+$/.test(pid) && (await processStart(Number(pid))) === start ? pid : undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
