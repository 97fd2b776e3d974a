/** Standard input as an input of a run. Held whole: the thread that decodes it cannot read the pipe itself. */
import { Budget, type Limits } from '../../formats/limits.js';
import { UsageError } from '../contract/errors.js';

/** @param asked what in the pipeline asks for it, for the message @throws UsageError for a terminal */
export function refuseTerminal(asked: string): void {
  if (!process.stdin.isTTY) return;
  throw new UsageError('stdin-is-terminal', `${asked}: standard input is a terminal; pipe a profile into it`);
}

/** Once in a process. @throws FormatError E_LIMIT (fileBytes) */
export async function readStandardInput(limits: Partial<Limits>): Promise<Uint8Array> {
  const budget = new Budget(limits);
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) {
    budget.spend('fileBytes', piece.length, { section: 'stdin' });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
