/** Stacks that are as deep as Go's runtime records, so that their callers are not known. */

/** Frames at which it stops: proto and debug=1 before 1.23 and since, and debug=2. */
const RECORDED: ReadonlySet<number> = new Set([32, 100, 128]);

/**
 * Before 1.21, debug=2 counts the runtime's frames at the leaf, which it does not print (gopark and the two or three that lead to it), and
 * says nothing where it stops. Measured: 97 and 98 frames of goroutines that wait for a channel and in select.
 */
const PRINTED = { least: 94, most: 99 } as const;

/** @param deepest frames of the deepest stack @param isText whether it was printed (debug=2) @returns depths at which stacks are cut, or may be */
export function cutDepths(deepest: number, isText: boolean): readonly number[] {
  if (RECORDED.has(deepest)) return [deepest];
  if (!isText || deepest < PRINTED.least || deepest > PRINTED.most) return [];
  return Array.from({ length: deepest - PRINTED.least + 1 }, (_, above) => PRINTED.least + above);
}

export function cutNote(goroutines: string, frames: number): string {
  const why = RECORDED.has(frames) ? 'which is all that Go records' : 'which may be all that Go printed before 1.21';
  return `${goroutines} with ${frames} frames, ${why}: callers above are not known and count nowhere, so these stacks may be of any size.`;
}
