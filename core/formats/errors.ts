/** What may be wrong with bytes: the only error that a reader under core/formats throws, on any input. */

export interface FormatErrorPlace {
  /** Part of the file, in the format's own words: ".gopclntab", "Profile.sample[311]", "gzip". */
  readonly section?: string | undefined;
  /** Bytes into that section, or into the input where there is no section. */
  readonly offset?: number | undefined;
  /** The value that was met. */
  readonly got?: string | number | bigint | undefined;
  /** The limit that it broke. */
  readonly limit?: string | number | bigint | undefined;
}

/**
 * Malformed, truncated or over-limit bytes. `code` is stable and machine-readable ("E_GZIP_TRUNCATED", "E_VARINT"); the message
 * says the fact, in lower case, without the place (`describe` puts the place in front).
 */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly code: string;
  readonly place: FormatErrorPlace;

  constructor(code: string, message: string, place: FormatErrorPlace = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.place = place;
  }

  /** `.gopclntab+0x1f40: 3 files, section holds 2 (got 3, limit 2)`. */
  describe(): string {
    const { section, offset, got, limit } = this.place;
    const at = offset === undefined ? '' : `+0x${offset.toString(16)}`;
    const where = section === undefined && at === '' ? '' : `${section ?? 'input'}${at}: `;
    const values = [got === undefined ? '' : `got ${got}`, limit === undefined ? '' : `limit ${limit}`].filter(
      (part) => part !== '',
    );
    return `${where}${this.message}${values.length === 0 ? '' : ` (${values.join(', ')})`}`;
  }
}
