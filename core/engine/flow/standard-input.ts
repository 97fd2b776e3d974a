/** Standard input as an input of a run. Held whole: the thread that decodes it cannot read the pipe itself. */
import { Budget, type Limits } from '../../formats/limits.js';
import { UsageError } from '../contract/errors.js';
import type { SourceItem, UnreadableItem } from '../contract/plugin.js';

/** @param asked what in the pipeline asks for it, for the message @throws UsageError for a terminal */
export function refuseTerminal(asked: string): void {
  if (!process.stdin.isTTY) return;
  throw new UsageError('stdin-is-terminal', `${asked}: standard input is a terminal; pipe a profile into it`);
}

/** Once in a process. @returns an error for what cannot be read, or is larger than `fileBytes` */
export async function readStandardInput(name: string, limits: Partial<Limits>): Promise<SourceItem | UnreadableItem> {
  const budget = new Budget(limits);
  const pieces: Buffer[] = [];
  try {
    for await (const piece of process.stdin) {
      budget.spend('fileBytes', piece.length, { section: 'stdin' });
      pieces.push(piece);
    }
    return { uri: '-', name, data: { bytes: Buffer.concat(pieces) } };
  } catch (error) {
    return { uri: '-', name, error: error as Error };
  }
}
