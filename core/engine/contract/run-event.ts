/** What happens while a run goes on, told as it happens. The end is the summary. */
import type { FailedItem } from './errors.js';
import type { OutputSummary } from './telemetry.js';

export type RunEvent =
  /** All plugins are made; `inputs` is absent where the source does not know. */
  | { readonly kind: 'started'; readonly pipeline: string; readonly inputs?: number; readonly workers: number }
  | { readonly kind: 'written'; readonly output: OutputSummary }
  | { readonly kind: 'failed'; readonly failure: FailedItem }
  /** Only the first of each (code, message). */
  | { readonly kind: 'warned'; readonly code: string; readonly message: string };
