/** What the readers of all forms have in common. */
import type { Profile } from '../../../core/index.js';
import type { Line } from './lines.js';

export interface TextReader {
  /** Takes the lines in order. @throws FormatError E_GOROUTINE_TEXT with the line, E_LIMIT, E_OVERFLOW */
  read(line: Line): void;
  /** @throws FormatError E_GOROUTINE_TEXT when no goroutine could be read because there is none */
  finish(): ReadText;
}

export interface ReadText {
  readonly profile: Profile;
  /** Where the text breaks off, and what that costs; undefined for a whole one. */
  readonly cut: { readonly line: number; readonly lost: string } | undefined;
  /** How many goroutines or objects are known to be missing in the profile. */
  readonly missing: { readonly what: string; readonly count: bigint } | undefined;
  readonly warning: { readonly code: string; readonly message: string } | undefined;
}
