/** The events of a recording, and which of them a record belongs to. */
import { FormatError } from '../../../core/index.js';
import type { EventAttribute } from './attribute.js';
import { unsignedWord } from './words.js';

/** More than anybody asks for; each is a column of every sample. */
const MAX_EVENTS = 1024;

export class EventTable {
  readonly #events: EventAttribute[] = [];
  /** As perf was asked for them: "cycles:u". */
  readonly #askedNames: (string | undefined)[] = [];
  readonly #rowOfId = new Map<number, number>();
  #names: readonly string[] | undefined;

  get length(): number {
    return this.#events.length;
  }

  /** @throws FormatError E_PERF_EVENTS once samples were read: what they weigh was decided; E_LIMIT */
  add(event: EventAttribute, ids: readonly number[]): void {
    if (this.#names !== undefined)
      throw new FormatError('E_PERF_EVENTS', `event "${event.name}" behind the first record`);
    const row = this.#events.length;
    if (row === MAX_EVENTS) throw new FormatError('E_LIMIT', 'too many events', { got: row + 1, limit: MAX_EVENTS });
    this.#events.push(event);
    for (const id of ids) this.#rowOfId.set(id, row);
  }

  at(row: number): EventAttribute {
    return this.#events[row]!;
  }

  setAskedName(row: number, name: string): void {
    this.#askedNames[row] = name;
  }

  /** Row of the event that has an id. */
  rowOfId(id: number): number | undefined {
    return this.#rowOfId.get(id);
  }

  /** By row: no two alike, as short as that allows. They do not change once they were asked for. */
  get names(): readonly string[] {
    this.#names ??= this.#chooseNames();
    return this.#names;
  }

  /**
   * To be called before the first record is told apart: all events have their id at one place, else nothing could be told.
   * @throws FormatError E_PERF_EVENTS when they do not, or when there are none
   */
  check(): void {
    const [first, ...others] = this.#events;
    if (first === undefined) throw new FormatError('E_PERF_EVENTS', 'no event attributes before the first record');
    const { idInSample, idBeforeEnd } = first.places;
    for (const { name, places } of others) {
      if (idInSample >= 0 && places.idInSample === idInSample && places.idBeforeEnd === idBeforeEnd) continue;
      throw new FormatError('E_PERF_EVENTS', `records of "${name}" and "${first.name}" cannot be told apart`);
    }
  }

  /** Place of the id in a sample; −1 where samples have none. */
  get idInSample(): number {
    return this.#events[0]?.places.idInSample ?? -1;
  }

  get rowsOfIds(): ReadonlyMap<number, number> {
    return this.#rowOfId;
  }

  /** Event of a record that is no sample. */
  rowOfRecord(view: DataView, start: number, size: number): number {
    if (this.#events.length === 1) return 0;
    const { idBeforeEnd } = this.#events[0]!.places;
    const place = idBeforeEnd < 0 ? -1 : size - idBeforeEnd;
    // Records that perf made up have id 0.
    return place < 8 || place + 8 > size ? 0 : (this.#rowOfId.get(unsignedWord(view, start + place)) ?? 0);
  }

  #chooseNames(): readonly string[] {
    const asked = this.#events.map((event, row) => this.#askedNames[row] ?? event.name);
    const short = asked.map(withoutModifiers);
    const names = asked.map((name, row) => (isOnly(short, row) ? short[row]! : name));
    return names.map((name, row) => (isOnly(names, row) ? name : `${name}#${row}`));
  }
}

const isOnly = (names: readonly string[], row: number): boolean =>
  names.indexOf(names[row]!) === row && names.indexOf(names[row]!, row + 1) < 0;

/** "cycles:P" is cycles: what follows says how it was counted. */
function withoutModifiers(name: string): string {
  return name.replace(/:[ukhGHIpPSDWeb]+$/, '');
}
