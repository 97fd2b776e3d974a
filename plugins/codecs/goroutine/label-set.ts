/**
 * Labels as Go prints them, quoted with `"kind":"labelled", "shard":"b c"` (debug=1), or only where it must be with
 * `kind: labelled, shard: "b c"` (the headers of tracebacks since Go 1.27).
 *
 * Source: go1.27 runtime/pprof/label.go labelMap.String, strconv.Quote; runtime/traceback.go goroutineheader, runtime/print.go printquoted.
 */

export interface TextLabel {
  readonly key: string;
  readonly value: string;
}

const quoted = /"((?:[^"\\]|\\.)*)"/y;
/** Characters that tracebacks leave unquoted; an empty text has none. */
const bare = /[A-Za-z0-9./_]*/y;
const escapes = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/g;
const letters: { readonly [letter: string]: string | undefined } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const REPLACEMENT = '\ufffd';

/** @param text with its braces @returns undefined when it is no set of labels */
export function parseLabelSet(text: string): TextLabel[] | undefined {
  const scanner = new Scanner(text);
  if (!scanner.skip('{')) return undefined;
  const labels: TextLabel[] = [];
  if (!scanner.skip('}')) {
    do {
      const key = scanner.text();
      if (!scanner.skip(':')) return undefined;
      scanner.skip(' ');
      labels.push({ key, value: scanner.text() });
    } while (scanner.skip(', '));
    if (!scanner.skip('}')) return undefined;
  }
  return scanner.isAtEnd ? labels : undefined;
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  skip(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  /** A key or a value; "" where there is none. */
  text(): string {
    quoted.lastIndex = this.#at;
    const match = quoted.exec(this.#text);
    if (match !== null) {
      this.#at = quoted.lastIndex;
      return unquote(match[1]!);
    }
    bare.lastIndex = this.#at;
    const word = bare.exec(this.#text)![0];
    this.#at += word.length;
    return word;
  }
}

function unquote(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(escapes, (_, byte?: string, short?: string, long?: string, letter?: string) => {
    // Go writes \x of a control character, or of a byte that is no UTF-8.
    if (byte !== undefined) return byte < '80' ? String.fromCharCode(Number.parseInt(byte, 16)) : REPLACEMENT;
    if (letter !== undefined) return letters[letter] ?? letter;
    const codePoint = Number.parseInt(short ?? long!, 16);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : REPLACEMENT;
  });
}
