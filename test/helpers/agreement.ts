/** Answers of the symbol chain beside what two other symbolizers agree on. */
import assert from 'node:assert/strict';
import type { Binary } from '../../core/binary/binary.js';
import { SymbolChain } from '../../core/binary/symbols/chain.js';
import type { SymbolFrame } from '../../core/binary/symbols/source.js';
import { agreedAnswer, makeFrame, type PeerAnswer, type Symbolizer } from './symbolizers.js';

export type Answers = (binary: Binary, addresses: readonly bigint[]) => PeerAnswer[];

export interface Difference {
  readonly address: bigint;
  readonly mine: PeerAnswer;
  readonly wanted: PeerAnswer;
}

export interface Agreement {
  /** Addresses that two of the others have the same answer for. */
  readonly agreed: number;
  /** Of these, where ours is another. */
  readonly different: readonly Difference[];
}

/** The first few, for a failed assertion. */
export function describeDifferences(different: readonly Difference[]): string {
  const lines = different.slice(0, 10).map(({ address, mine, wanted }) => {
    return `0x${address.toString(16)}: ${JSON.stringify(mine)}, wanted ${JSON.stringify(wanted)}`;
  });
  return lines.join('\n');
}

export function compareWithPeers(
  binary: Binary,
  addresses: readonly bigint[],
  symbolizers: readonly Symbolizer[],
  answers: Answers = chainAnswers,
): Agreement {
  const theirs = symbolizers.map((symbolizer) => symbolizer.ask(binary.path, addresses));
  for (const each of theirs) assert.equal(each.length, addresses.length);
  const different: Difference[] = [];
  let agreed = 0;
  answers(binary, addresses).forEach((answer, row) => {
    const wanted = agreedAnswer(theirs.map((each) => each[row]!));
    if (wanted === undefined) return;
    agreed++;
    if (JSON.stringify(answer) === wanted) return;
    different.push({ address: addresses[row]!, mine: answer, wanted: JSON.parse(wanted) as PeerAnswer });
  });
  return { agreed, different };
}

/** Under the names that the files have. */
export function chainAnswers(binary: Binary, addresses: readonly bigint[]): PeerAnswer[] {
  const chain = new SymbolChain(binary, (name) => name);
  return addresses.map((address) => comparable(chain.lookup(Number(address - binary.imageBase)).frames));
}

export function comparable(frames: readonly SymbolFrame[] = []): PeerAnswer {
  return frames.map(({ systemName, file, line }) => makeFrame(systemName, file, line));
}
