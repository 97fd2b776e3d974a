/** Numbers that kernels/perf and its host agree on. Read by both compilers, so there are no types here. */

/** What a table has no row for. */
export const NO_ROW = 0xffffffff;

/** Words of an event (kernels/perf/event.ts), and the first of those that number its registers. */
export const EVENT_WORDS = 50;
export const REGISTERS_WORD = 16;
