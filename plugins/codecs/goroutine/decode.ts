/** Text of Go's profiles as a Profile. */
import { Budget, type ByteInput, FormatError, type ItemContext, type Profile } from '../../../core/index.js';
import type { GoroutineOptions } from '../../../schemas/gen/options/goroutine.js';
import { ContentionForm } from './contention.js';
import { CountsForm } from './counts.js';
import { findForm, isUtf16 } from './forms.js';
import { HeapForm } from './heap.js';
import { readLines } from './lines.js';
import { StacksReader } from './stacks.js';
import type { TextReader } from './text-reader.js';
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
  const reader = openReader(head, options, budget);
  const hasInvalid = await readLines(input, budget, (line) => reader.read(line));
  const { profile, cut, missing, warning } = reader.finish();
  if (hasInvalid) context.warn('invalid_utf8', 'goroutine: bytes that are no UTF-8 were read as U+FFFD');
  if (cut !== undefined) context.warn('text_cut', `goroutine: the text breaks off in line ${cut.line}: ${cut.lost}`);
  if (missing !== undefined) {
    const { what, count } = missing;
    context.warn(`${what}_cut`, `goroutine: ${what} that the text does not show whole: ${count}`);
    context.count(`${what}_cut`, Number(count));
  }
  if (warning !== undefined) context.warn(warning.code, warning.message);
  return profile;
}

function openReader(head: Uint8Array, options: GoroutineOptions, budget: Budget): TextReader {
  switch (findForm(head)) {
    case 'counts':
      return new StacksReader(new CountsForm(), budget);
    case 'heap':
      return new StacksReader(new HeapForm(), budget);
    case 'contention':
      return new StacksReader(new ContentionForm(options.contention_period), budget);
    default:
      return new TracebackReader(options, budget);
  }
}
