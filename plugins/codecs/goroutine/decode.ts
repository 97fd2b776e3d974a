/** Text of goroutines as a Profile. */
import { Budget, type ByteInput, FormatError, type ItemContext, type Profile } from '../../../core/index.js';
import type { GoroutineOptions } from '../../../schemas/gen/options/goroutine.js';
import { CountsReader } from './counts.js';
import { findForm, isUtf16 } from './forms.js';
import { readLines } from './lines.js';
import { TracebackReader } from './tracebacks.js';

/** @throws FormatError E_GOROUTINE_TEXT with the line, E_UTF8, E_LIMIT, E_OVERFLOW */
export async function decodeProfile(
  input: ByteInput,
  options: GoroutineOptions,
  context: ItemContext,
): Promise<Profile> {
  const head = await input.head();
  if (isUtf16(head)) throw new FormatError('E_UTF8', 'text is UTF-16, UTF-8 wanted', { section: 'line 1' });
  const budget = new Budget(context.limits);
  const reader = findForm(head) === 'counts' ? new CountsReader(budget) : new TracebackReader(options, budget);
  const hasInvalid = await readLines(input, budget, (line) => reader.read(line));
  const { profile, cut, goroutinesCut } = reader.finish();
  if (hasInvalid) context.warn('invalid_utf8', 'goroutine: bytes that are no UTF-8 were read as U+FFFD');
  if (cut !== undefined) context.warn('text_cut', `goroutine: the text breaks off in line ${cut.line}: ${cut.lost}`);
  if (goroutinesCut > 0n) {
    context.warn('goroutines_cut', `goroutine: goroutines that the text does not show whole: ${goroutinesCut}`);
    context.count('goroutines_cut', Number(goroutinesCut));
  }
  return profile;
}
