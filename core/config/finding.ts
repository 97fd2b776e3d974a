/** One thing that is wrong with a pipeline file or with how it was called. Lines and columns are 1-based. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Stable and machine-readable: "unknown-option", "wrong-type" … */
  readonly code: string;
  readonly message: string;
}

/** Findings of one check after the other: all are collected, the first stops nothing. */
export class Findings {
  readonly #found: Finding[] = [];

  add(place: { readonly file: string; readonly line: number; readonly column: number }, code: string, message: string) {
    this.#found.push({ file: place.file, line: place.line, column: place.column, code, message });
  }

  get length(): number {
    return this.#found.length;
  }

  /** In order of file and place, each once. */
  sorted(): Finding[] {
    const key = ({ file, line, column, code, message }: Finding) => JSON.stringify([file, line, column, code, message]);
    return [...new Map(this.#found.map((finding) => [key(finding), finding])).values()].sort(
      (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
    );
  }
}

/** `pipelines/cpu.yml:14:7 unknown-option unknown option "demangel"; did you mean "demangle"?` */
export function formatFinding({ file, line, column, code, message }: Finding): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}
