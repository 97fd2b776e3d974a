/** The line above a goroutine's traceback. */
import { goroutineHeader } from './forms.js';
import { parseLabelSet, type TextLabel } from './label-set.js';

export interface GoroutineHeader {
  readonly goroutine: bigint;
  /** Status or wait reason: "running", "chan receive (nil chan)". */
  readonly state: string;
  /** How long it has waited; 0 below a minute. */
  readonly waitMinutes: bigint;
  readonly isLocked: boolean;
  readonly synctestBubble: bigint | undefined;
  readonly labels: readonly TextLabel[];
}

/** @returns undefined for a line that is none */
export function parseGoroutineHeader(text: string): GoroutineHeader | undefined {
  const match = goroutineHeader.exec(text);
  if (match === null) return undefined;
  const [, goroutine = '', status = '', labelSet] = match;
  const labels = labelSet === undefined ? [] : parseLabelSet(labelSet);
  if (labels === undefined) return undefined;

  const states: string[] = [];
  let waitMinutes = 0n;
  let isLocked = false;
  let synctestBubble: bigint | undefined;
  for (const part of status.split(', ')) {
    const [, minutes] = /^(\d{1,18}) minutes$/.exec(part) ?? [];
    const [, bubble] = /^synctest bubble (\d{1,18})$/.exec(part) ?? [];
    if (minutes !== undefined) waitMinutes = BigInt(minutes);
    else if (bubble !== undefined) synctestBubble = BigInt(bubble);
    else if (part === 'locked to thread') isLocked = true;
    else states.push(part);
  }
  // The collector stands on the goroutine for an instant: not a state of the goroutine.
  const state = states.join(', ').replace(' (scan)', '');
  return { goroutine: BigInt(goroutine), state, waitMinutes, isLocked, synctestBubble, labels };
}
