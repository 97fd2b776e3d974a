/**
 * Values of environment variables that a pipeline reads: they may be tokens, so nothing that is printed or written beside the
 * outputs shows them. Masked by value, at the places that write.
 */

/** Shorter values are not masked: they would eat half of every message, and hide nothing. */
const MIN_SECRET_LENGTH = 4;

export class Secrets {
  readonly #values = new Set<string>();

  add(value: string): void {
    if (value.length >= MIN_SECRET_LENGTH) this.#values.add(value);
  }

  /** Longest first, so that a value which contains another is masked whole. */
  list(): string[] {
    return [...this.#values].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  }
}

/** `text` with every secret replaced by `***`. @param secrets as `Secrets.list` orders them */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}
