/** Where a process, or the kernel, has code. */

/** Addresses are signed numbers (words.ts), so that the kernel's are exact too. */
export interface CodeMapping {
  readonly start: number;
  readonly end: number;
  readonly fileOffset: bigint;
  readonly filename: string;
  /** Lower-case hex; "" when not known. */
  readonly buildId: string;
}

export interface CodeSpace {
  /** In order of address, without overlaps; another array whenever they changed. */
  readonly mappings: readonly CodeMapping[];
  find(address: number): CodeMapping | undefined;
}

/** How the kernel's own image is called: "[kernel.kallsyms]_text", with the symbol that it begins at. */
export const KERNEL_IMAGE = /^\[(?:guest\.)?kernel\.kallsyms[^\]]*\]/;
/** More than a process can have of all kinds by default (vm.max_map_count): mappings beyond are not taken. */
const MAX_MAPPINGS = 1 << 16;

/** Executable mappings in order of address, without overlaps. */
export class Space implements CodeSpace {
  #mappings: readonly CodeMapping[];

  /** @param mappings of another space: they stay its own */
  constructor(mappings: readonly CodeMapping[] = []) {
    this.#mappings = mappings;
  }

  get mappings(): readonly CodeMapping[] {
    return this.#mappings;
  }

  find(address: number): CodeMapping | undefined {
    const mapping = this.#mappings[this.#firstEndingAfter(address)];
    return mapping !== undefined && mapping.start <= address ? mapping : undefined;
  }

  /**
   * Covers what was there; what stays visible at either side of it keeps its place in its file.
   * @param mapping absent: no code
   * @returns whether there was room for it
   */
  cover(start: number, end: number, mapping: CodeMapping | undefined): boolean {
    const first = this.#firstEndingAfter(start);
    let behind = first;
    while (behind < this.#mappings.length && this.#mappings[behind]!.start < end) behind++;
    if (mapping === undefined && behind === first) return true;
    if (this.#mappings.length >= MAX_MAPPINGS) return false;
    const covered = this.#mappings.slice(first, behind);
    const [head, tail] = [covered[0], covered.at(-1)];
    const parts: CodeMapping[] = [];
    if (head !== undefined && head.start < start) parts.push({ ...head, end: start });
    if (mapping !== undefined) parts.push(mapping);
    if (tail !== undefined && tail.end > end) {
      parts.push({ ...tail, start: end, fileOffset: offsetBehind(tail, end) });
    }
    this.#mappings = this.#mappings.toSpliced(first, behind - first, ...parts);
    return true;
  }

  #firstEndingAfter(address: number): number {
    let low = 0;
    let high = this.#mappings.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#mappings[middle]!.end <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Of the kernel's image perf gives no place in a file, but the address of its first symbol. */
function offsetBehind({ start, fileOffset, filename }: CodeMapping, end: number): bigint {
  return KERNEL_IMAGE.test(filename) ? fileOffset : fileOffset + BigInt(end - start);
}
