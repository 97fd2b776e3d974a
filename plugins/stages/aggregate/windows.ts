/** Windows of time: by that of a profile's start, or of its arrival. They begin at whole multiples of their distance since 1970. */
import type { AggregateWindows, ItemInfo, OptionProblem, Profile, WindowRules } from '../../../core/index.js';
import type { AggregateOptions } from '../../../schemas/gen/options/aggregate.js';

export type WindowOptions = Pick<AggregateOptions, 'every' | 'slide' | 'clock'>;

/** One that a profile is in. */
export interface Window {
  readonly fields: { readonly window?: string };
  /** Milliseconds since 1970; undefined for that of profiles without a time. */
  readonly endMs: number | undefined;
}

export type WindowsOf = (
  profile: Pick<Profile, 'timeNanos'>,
  item: Pick<ItemInfo, 'arrivalMs' | 'writtenUntilMs'>,
) => readonly Window[];

const SECONDS: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3600n, d: 86_400n };

/** Nanoseconds of "90s", "15m", "1h", "1d". */
export function parseSpan(text: string): bigint {
  return BigInt(text.slice(0, -1)) * SECONDS[text.at(-1)!]! * 1_000_000_000n;
}

/** Each window has a copy of what a profile holds. */
const MOST_OVERLAPPING = 1_000n;

export function windowProblems(options: Pick<AggregateOptions, 'every' | 'slide' | 'lateness'>): OptionProblem[] {
  const { every, slide, lateness } = options;
  if (every === undefined) {
    return [
      ...(slide === undefined ? [] : [{ path: ['slide'], message: 'windows that slide need a length: every' }]),
      ...(parseSpan(lateness) === 0n ? [] : [{ path: ['lateness'], message: 'there are no windows without every' }]),
    ];
  }
  const length = parseSpan(every);
  const distance = parseSpan(slide ?? every);
  if (distance > length) {
    return [{ path: ['slide'], message: `a profile between two windows would be in none: at most every, ${every}` }];
  }
  const overlapping = (length + distance - 1n) / distance;
  if (overlapping <= MOST_OVERLAPPING) return [];
  const message = `each profile would be in ${overlapping} windows, more than ${MOST_OVERLAPPING}`;
  return [{ path: ['slide'], message }];
}

/**
 * @returns what gives one window, or several, in order, where they overlap, but none that has the item already; one without a name where
 * there are no windows
 */
export function compileWindows({ every, slide, clock }: WindowOptions): WindowsOf {
  if (every === undefined) return () => [{ fields: {}, endMs: undefined }];
  const length = parseSpan(every);
  const distance = slide === undefined ? length : parseSpan(slide);
  return ({ timeNanos }, { arrivalMs = 0, writtenUntilMs = Number.NEGATIVE_INFINITY }) => {
    const time = clock === 'arrival' ? BigInt(arrivalMs) * 1_000_000n : timeNanos;
    if (time === 0n) return [{ fields: { window: 'none' }, endMs: undefined }];
    const windows: Window[] = [];
    for (let start = floor(time, distance); start > time - length; start -= distance) {
      const endMs = Number((start + length) / 1_000_000n);
      if (endMs <= writtenUntilMs) break;
      windows.push({ fields: { window: startText(start) }, endMs });
    }
    return windows.reverse();
  };
}

/** When the windows of a profile end, in milliseconds since 1970. */
export function endsOf(options: WindowOptions): AggregateWindows<unknown>['endsOf'] {
  const windowsOf = compileWindows(options);
  return (profile, item) => windowsOf(profile, item).flatMap(({ endMs }) => endMs ?? []);
}

/** What the engine has to know to tell when a window has ended. */
export function windowRules({ every, clock, lateness, late }: AggregateOptions): WindowRules | undefined {
  if (every === undefined) return undefined;
  return { lengthMs: millisecondsOf(every), clock, latenessMs: millisecondsOf(lateness), late };
}

const millisecondsOf = (span: string): number => Number(parseSpan(span) / 1_000_000n);

function floor(time: bigint, distance: bigint): bigint {
  const rest = time % distance;
  return rest < 0n ? time - rest - distance : time - rest;
}

/** "20261121T150000Z": ISO 8601, without what paths must not hold. Seconds since 1970 beyond the years that ISO 8601 has. */
function startText(start: bigint): string {
  const milliseconds = Number(start / 1_000_000n);
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime()) || milliseconds < 0) return `${start / 1_000_000_000n}s`;
  return date.toISOString().replace(/[-:]|\.\d+/g, '');
}
