/** "Did you mean": the valid name that is nearest to a wrong one. */

/**
 * The candidate with the smallest edit distance, if that is small enough to be a slip: a third of the name's length, at least
 * 1 and at most 3 edits. The first of equally near ones.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `; did you mean "demangle"?`, or the valid names when none is near and they are few; "" when there is nothing to say. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const all = [...candidates];
  const near = nearest(name, all);
  if (near !== undefined) return `; did you mean "${near}"?`;
  return all.length === 0 || all.length > 12 ? '' : `; valid: ${all.join(', ')}`;
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let distance = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + cost);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, beforePrevious[column - 2]! + 1);
      }
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
