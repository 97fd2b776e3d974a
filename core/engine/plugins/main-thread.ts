/** Sources and sinks of third parties: they run in the main thread, where what hangs can be left behind, but not ended. */
import { ItemError, RunStopped, UsageError } from '../contract/errors.js';
import type { PluginRef } from '../contract/places.js';
import type { Sink, Source, SourceFacts, SourceItem, UnreadableItem } from '../contract/plugin.js';
import { callStranger, callStrangerNow } from '../strangers/guards.js';

/** Parts that a time is waited for in: while the machine slept only one goes by, and the work could not go on either. */
const PARTS = 10;

/** @throws whatever the work throws; ItemError E_TIMEOUT when it is not done in time: it may go on, nobody waits for it */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let left = PARTS;
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) reject(new ItemError('E_TIMEOUT', `no end within ${timeoutMs / 1000} s`));
    }, timeoutMs / PARTS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearInterval(timer);
  }
}

/** A source whose every call is guarded. Its items may take their time: they may come from a network. */
export function guardedSource(plugin: PluginRef, source: Source): Source {
  /** By what the run gets in its place. */
  const originals = new WeakMap<SourceItem, SourceItem>();
  const original = (item: SourceItem): SourceItem => originals.get(item) ?? item;
  const guarded = (item: Item): Item => {
    if ('error' in item || item.settled === undefined) return item;
    const other = {
      ...item,
      settled: (outcome) => sourceCall(plugin, () => item.settled?.(outcome)),
      partlySettled: (written) => sourceCall(plugin, () => item.partlySettled?.(written)),
    } satisfies SourceItem;
    originals.set(other, item);
    return other;
  };
  return {
    ...(Number.isInteger(source.count) ? { count: source.count! } : {}),
    ...(Number.isFinite(source.totalBytes) ? { totalBytes: source.totalBytes! } : {}),
    ...(Array.isArray(source.names) ? { names: source.names.map(String) } : {}),
    ...(Array.isArray(source.files) ? { files: source.files.map(String) } : {}),
    ...(source.isEndless === true ? { isEndless: true } : {}),
    ...(source.facts === undefined ? {} : { facts: () => factsOf(plugin, source) }),
    ...(source.settling === undefined
      ? {}
      : {
          settling: (items, destinations, partly) =>
            sourceCall(plugin, () =>
              source.settling?.(
                items.map(original),
                destinations,
                new Map(Array.from(partly, ([item, written]) => [original(item), written])),
              ),
            ),
        }),
    async *items() {
      const iterator = await sourceCall(plugin, () => source.items()[Symbol.asyncIterator]());
      try {
        for (let index = 0; ; index++) {
          const next = await sourceCall(plugin, () => iterator.next());
          if (next?.done === true) return;
          yield isItem(next?.value) ? guarded(next.value) : notAnItem(plugin, index);
        }
      } finally {
        await callStranger(plugin, () => iterator.return?.()).catch(() => {});
      }
    },
    close: () => callStranger(plugin, () => source.close?.()),
  };
}

/** Without its source a run cannot go on. @throws RunStopped */
async function sourceCall<T>(plugin: PluginRef, work: () => T | Promise<T>): Promise<T> {
  try {
    return await callStranger(plugin, work);
  } catch (error) {
    if (error instanceof RunStopped || error instanceof UsageError) throw error;
    const { name, version } = plugin;
    throw new RunStopped('E_SOURCE', `source ${name} ${version}: ${error}`, { cause: error });
  }
}

function factsOf(plugin: PluginRef, source: Source): SourceFacts {
  try {
    const facts = callStrangerNow(plugin, () => source.facts!());
    return { counters: { ...facts.counters }, warnings: [...facts.warnings] };
  } catch (error) {
    return { counters: {}, warnings: [{ code: 'facts_failed', message: `source ${plugin.name}: ${error}`, times: 1 }] };
  }
}

type Item = SourceItem | UnreadableItem;

function isItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, name, data, error } = value as Partial<Record<'uri' | 'name' | 'data' | 'error', unknown>>;
  if (typeof uri !== 'string' || typeof name !== 'string') return false;
  if (error !== undefined) return true;
  if (typeof data !== 'object' || data === null) return false;
  const { path, bytes } = data as { readonly path?: unknown; readonly bytes?: unknown };
  return bytes === undefined ? typeof path === 'string' || path instanceof Uint8Array : bytes instanceof Uint8Array;
}

function notAnItem({ name, version }: PluginRef, index: number): Item {
  const error = new ItemError(
    'E_PLUGIN_RUBBISH',
    `source ${name} ${version} yielded no item: uri, name and data are wanted`,
  );
  return { uri: `item ${index} of ${name}`, name: `item${index}`, error };
}

/** A sink whose every call is guarded and ends in time, and that gets bytes of its own. */
export function guardedSink(plugin: PluginRef, sink: Sink, timeoutMs: number): Sink {
  const guarded = <T>(work: () => T | Promise<T>) => within(timeoutMs, callStranger(plugin, work));
  return {
    labelKeys: Array.isArray(sink.labelKeys) ? sink.labelKeys.map(String) : [],
    destination(item) {
      const destination: unknown = callStrangerNow(plugin, () => sink.destination(item));
      if (typeof destination !== 'string') throw new ItemError('E_PLUGIN_RUBBISH', 'destination returned no string');
      return destination;
    },
    ...(sink.isThere === undefined
      ? {}
      : { isThere: (destination) => callStrangerNow(plugin, () => sink.isThere?.(destination)) === true }),
    prepare: () => guarded(() => sink.prepare()),
    async write(item) {
      const bytes = item.bytes.map((piece) => piece.slice());
      const written: unknown = await guarded(() => sink.write({ ...item, bytes }));
      const { destination, bytes: count } = (written ?? {}) as {
        readonly destination?: unknown;
        readonly bytes?: unknown;
      };
      if (typeof destination === 'string' && Number.isFinite(count)) return { destination, bytes: Number(count) };
      throw new ItemError('E_PLUGIN_RUBBISH', 'write returned no { destination, bytes }');
    },
    close: () => guarded(() => sink.close?.()),
  };
}
