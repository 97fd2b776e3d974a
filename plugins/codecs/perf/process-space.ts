/** Where one process has code: what it mapped, and in its memory without a file the functions that it made there. */
import type { Era } from './made-code.js';
import { type CodeMapping, type CodeSpace, Space } from './space.js';

const WITHOUT_FILE = /^($|\/\/anon|\/memfd:|\/dev\/zero|\[(anon|heap|stack))/;

export class ProcessSpace implements CodeSpace {
  readonly #mapped: Space;
  readonly #eras: readonly Era[];
  /** Those of `#eras` that are in `#made`. */
  #begun = 0;
  #made: readonly CodeMapping[];
  #seen: { readonly mapped: readonly CodeMapping[]; readonly made: readonly CodeMapping[]; readonly space: Space };

  /** @param eras of code that it will make */
  constructor(eras: readonly Era[] = [], mapped: readonly CodeMapping[] = [], made: readonly CodeMapping[] = []) {
    this.#mapped = new Space(mapped);
    this.#made = made;
    this.#eras = eras;
    this.#seen = { mapped: [], made: [], space: new Space() };
  }

  /** What a child has that begins with this one's memory. @param eras of code that the child will make */
  fork(eras: readonly Era[] | undefined): ProcessSpace {
    return new ProcessSpace(eras, this.#mapped.mappings, this.#made);
  }

  get mappings(): readonly CodeMapping[] {
    return this.#made.length === 0 ? this.#mapped.mappings : this.#whole.mappings;
  }

  find(address: number): CodeMapping | undefined {
    return this.#made.length === 0 ? this.#mapped.find(address) : this.#whole.find(address);
  }

  /** As `Space.cover`. */
  cover(start: number, end: number, mapping: CodeMapping | undefined): boolean {
    return this.#mapped.cover(start, end, mapping);
  }

  /** Has what was made up to a time. */
  advance(time: number): void {
    while (this.#begun < this.#eras.length && this.#eras[this.#begun]!.start <= time) {
      this.#made = overlay(this.#made, this.#eras[this.#begun++]!.mappings);
    }
  }

  get #whole(): Space {
    const { mappings: mapped } = this.#mapped;
    const made = this.#made;
    if (this.#seen.mapped !== mapped || this.#seen.made !== made) {
      const isFile = ({ filename }: CodeMapping) => !WITHOUT_FILE.test(filename);
      const memory = mapped.filter((mapping) => !isFile(mapping));
      const space = new Space(overlay(overlay(memory, made), mapped.filter(isFile)));
      this.#seen = { mapped, made, space };
    }
    return this.#seen.space;
  }
}

/** Both, each in order of address and without overlaps; where they overlap, those above. */
export function overlay(below: readonly CodeMapping[], above: readonly CodeMapping[]): readonly CodeMapping[] {
  const merged: CodeMapping[] = [];
  let next = 0;
  let covered = Number.NEGATIVE_INFINITY;
  for (const mapping of below) {
    let from = Math.max(mapping.start, covered);
    while (next < above.length && above[next]!.start < mapping.end) {
      const top = above[next++]!;
      if (top.start > from) merged.push(partOf(mapping, from, top.start));
      merged.push(top);
      covered = top.end;
      from = Math.max(from, covered);
    }
    if (from < mapping.end) merged.push(partOf(mapping, from, mapping.end));
  }
  while (next < above.length) merged.push(above[next++]!);
  return merged;
}

function partOf(mapping: CodeMapping, start: number, end: number): CodeMapping {
  if (start === mapping.start && end === mapping.end) return mapping;
  return { ...mapping, start, end, fileOffset: mapping.fileOffset + BigInt(start - mapping.start) };
}
