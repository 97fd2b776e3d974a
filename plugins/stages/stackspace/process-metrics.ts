/**
 * Figures of a process in the texts that Go programs, and those who watch them, give of it:
 *
 *     JSON of runtime/metrics        {"/memory/classes/heap/stacks:bytes": 3407872}   [{"Name": "/memory/…", "Value": 3407872}]
 *     JSON of /debug/vars            {"memstats": {"StackInuse": 3407872, …}}
 *     /debug/pprof/heap?debug=1      # Stack = 3407872 / 3407872                      in use / from the system
 *     Prometheus' client for Go      go_memstats_stack_inuse_bytes 3.407872e+06
 *
 * MemStats.StackInuse is the metric under another name. Source: src/runtime/mstats.go readmemstats_m, src/runtime/metrics.go initMetrics,
 * src/runtime/pprof/pprof.go writeHeapInternal; client_golang prometheus/go_collector.go.
 */

import type { CreateContext } from '../../../core/index.js';
import type { StackspaceOptions } from '../../../schemas/gen/options/stackspace.js';

export interface ProcessMetrics {
  /** /memory/classes/heap/stacks:bytes */
  readonly stacksBytes: number;
  /** Of the operating system; 0 where the text does not say. */
  readonly threads: number;
}

interface Figure {
  /** Names in JSON, the more telling first. */
  readonly keys: readonly string[];
  /** Whole lines of text, with the number as first group. */
  readonly lines: readonly RegExp[];
}

const stacksBytes: Figure = {
  keys: ['/memory/classes/heap/stacks:bytes', 'StackInuse'],
  lines: [
    /^# Stack = (\S+) \/ \S+$/m,
    /^go_memory_classes_heap_stacks_bytes(?:\{.*\})? (\S+)/m,
    /^go_memstats_stack_inuse_bytes(?:\{.*\})? (\S+)/m,
  ],
};

/** The metric is there since Go 1.26. */
const threads: Figure = {
  keys: ['/sched/threads/total:threads'],
  lines: [/^go_sched_threads_total_threads(?:\{.*\})? (\S+)/m, /^go_threads(?:\{.*\})? (\S+)/m],
};

/** More than any of the texts has; heap profiles are the longest. */
const MOST_BYTES = 2 ** 26;

/** Options with what the file `metrics` says in the place of what is not known. @throws Error with the path and the place in it */
export function withMetrics(options: StackspaceOptions, readFile: CreateContext['readFile']): StackspaceOptions {
  if (options.metrics === '') return options;
  const bytes = readFile(options.metrics);
  try {
    const { stacksBytes, threads } = readProcessMetrics(bytes);
    return {
      ...options,
      stacks_bytes: options.stacks_bytes === 0 ? stacksBytes : options.stacks_bytes,
      threads: options.threads === 0 ? threads : options.threads,
    };
  } catch (error) {
    throw new Error(`metrics: ${options.metrics}: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws Error with the place in the text: line, or path in JSON */
export function readProcessMetrics(bytes: Uint8Array): ProcessMetrics {
  if (bytes.length > MOST_BYTES)
    throw new Error(`${bytes.length} bytes, more than figures of a process take (limit ${MOST_BYTES})`);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    throw new Error(
      'compressed: profiles without ?debug=1 hold no figures of the process, and texts are read unpacked',
    );
  }
  const text = new TextDecoder().decode(bytes);
  const find = /^\s*[[{]/.test(text) ? jsonFigures(text) : (figure: Figure) => textFigure(text, figure);
  const stacks = find(stacksBytes);
  if (stacks === undefined) {
    throw new Error(
      'no figure of stacks: neither "/memory/classes/heap/stacks:bytes" or "StackInuse" in JSON, nor "# Stack = …" of a heap profile with debug=1, nor go_memstats_stack_inuse_bytes',
    );
  }
  return { stacksBytes: stacks, threads: find(threads) ?? 0 };
}

function textFigure(text: string, { lines }: Figure): number | undefined {
  for (const line of lines) {
    const match = line.exec(text);
    if (match === null) continue;
    const number = text.slice(0, match.index).split('\n').length;
    return wholeNumber(match[1]!, `line ${number}`);
  }
  return undefined;
}

function jsonFigures(text: string): (figure: Figure) => number | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    throw new Error(`no valid JSON: ${(error as Error).message}`, { cause: error });
  }
  const found = new Map<string, Member>();
  const open: Member[] = [{ path: '$', value: root }];
  for (let member = open.pop(); member !== undefined; member = open.pop()) {
    const { path, value } = member;
    if (typeof value !== 'object' || value === null) continue;
    const named = namedValue(value);
    if (named !== undefined && !found.has(named.name)) found.set(named.name, { path, value: named.value });
    for (const [key, inner] of Object.entries(value)) {
      const place = Array.isArray(value) ? `${path}[${key}]` : `${path}[${JSON.stringify(key)}]`;
      if (!Array.isArray(value) && !found.has(key)) found.set(key, { path: place, value: inner });
      open.push({ path: place, value: inner });
    }
  }
  return ({ keys }) => {
    const member = keys.map((key) => found.get(key)).find((known) => known !== undefined);
    if (member === undefined) return undefined;
    const { path, value } = member;
    const boxed = typeof value === 'object' && value !== null ? (memberValue(value) ?? value) : value;
    return wholeNumber(boxed, path);
  };
}

interface Member {
  /** As JavaScript would write the way to it: $["memstats"]["StackInuse"]. */
  readonly path: string;
  readonly value: unknown;
}

/** `{"Name": "/memory/…", "Value": 1}`, in any case of the keys. */
function namedValue(object: object): { readonly name: string; readonly value: unknown } | undefined {
  const name = memberOf(object, 'name');
  return typeof name === 'string' ? { name, value: memberValue(object) ?? object } : undefined;
}

const memberValue = (object: object): unknown => memberOf(object, 'value');

function memberOf(object: object, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}

function wholeNumber(value: unknown, place: string): number {
  const number = typeof value === 'string' && /^[\d.]+(e[+-]?\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  const shown = JSON.stringify(value) ?? 'nothing';
  throw new Error(
    `${place}: ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown} is no whole number of bytes or threads`,
  );
}
