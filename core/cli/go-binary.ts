/** An executable for the tools on single binaries. */
import type { Binary } from '../binary/binary.js';
import { openBinary } from '../binary/open.js';
import { ExitCode } from './exit-codes.js';
import { cannotRead } from './files.js';
import { guardFormat } from './read-profile.js';
import { type Call, CallProblem } from './verb.js';

/** Opens the call's `file`, and turns what is wrong with its bytes into exit code 20. */
export async function withBinary<T>(call: Call, work: (binary: Binary) => Promise<T>): Promise<T> {
  return withBinaryAt(call.argument('file'), work);
}

export async function withBinaryAt<T>(path: string, work: (binary: Binary) => Promise<T>): Promise<T> {
  return guardFormat(path, async () => {
    let binary: Binary;
    try {
      binary = openBinary(path);
    } catch (error) {
      if (error instanceof Error && error.name !== 'FormatError') throw cannotRead(path, error);
      throw error;
    }
    return work(binary);
  });
}

/** @throws CallProblem for what is no regular expression */
export function functionPattern(call: Call): RegExp | undefined {
  const text = call.text('function');
  if (text === undefined) return undefined;
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw new CallProblem('bad-value', `--function: ${(error as Error).message}`, ExitCode.usage);
  }
}

export const hex = (address: bigint): string => `0x${address.toString(16)}`;
