/** An aggregate of a plan at work: what its partials become, each call of it at its place. */
import { selectRows } from '../../profile/edit/select.js';
import type { Profile } from '../../profile/profile.js';
import { tableBytes } from '../../profile/table-bytes.js';
import type { PluginSite } from '../contract/places.js';
import type { Aggregate, GroupResult, ItemInfo, WindowRules } from '../contract/plugin.js';
import type { ItemWindows, PartialBytes } from '../contract/protocol.js';
import { isStranger } from '../plugins/attempt.js';
import { assertAtOnce, assertPieces, assertProfile } from '../strangers/profile-shape.js';
import { windowsOf } from './item-windows.js';
import { readSpilled } from './spill.js';
import type { Work } from './work.js';

export interface BarrierResult {
  /** Stands for the input behind the barrier. */
  readonly info: ItemInfo;
  readonly group: GroupResult['group'];
  /** @throws Misstep: this result is lost, and no other */
  finish(): Profile;
}

/** A profile that came in pieces. */
export interface AddedPieces {
  /** Has nothing else. */
  readonly partial: unknown;
  /** The profile without samples. */
  readonly header: Profile;
}

/** What a worker keeps from one task to the next. */
export interface KeptPartial {
  readonly partial: unknown;
}

/** Every method throws a Misstep for what the aggregate throws. */
export class Barrier {
  readonly #site: PluginSite;
  readonly #aggregate: Aggregate<unknown>;
  readonly #windowRules: WindowRules | undefined;

  constructor(site: PluginSite, aggregate: Aggregate<unknown>, windowRules: WindowRules | undefined) {
    this.#site = site;
    this.#aggregate = aggregate;
    this.#windowRules = windowRules;
  }

  get isBuiltIn(): boolean {
    return !isStranger(this.#site);
  }

  empty(work: Work): unknown {
    return this.#call(work, () => this.#aggregate.empty());
  }

  decode(partial: PartialBytes, work: Work): unknown {
    return this.#call(work, () => this.#aggregate.decode(partial));
  }

  encode(partial: unknown, work: Work): PartialBytes {
    return this.#call(work, () => {
      const pieces = this.#aggregate.encode(partial);
      if (isStranger(this.#site)) assertPieces(pieces);
      return pieces;
    });
  }

  add(partial: unknown, profile: Profile, info: ItemInfo, work: Work): unknown {
    return this.#call(work, () => {
      const sum = this.#aggregate.add(partial, profile, info);
      if (isStranger(this.#site)) assertAtOnce(sum, 'add');
      return sum;
    });
  }

  /** Whether a profile may come in pieces. */
  get takesPieces(): boolean {
    return this.#aggregate.pieces !== undefined;
  }

  /** Adds a profile's pieces to a partial that has nothing else. @param taken is told of each one's samples */
  async addPieces(
    pieces: AsyncIterable<Profile>,
    info: ItemInfo,
    work: Work,
    taken: (samples: number) => void,
  ): Promise<AddedPieces> {
    let partial = this.empty(work);
    let header: Profile | undefined;
    let samplesBefore = 0;
    for await (const piece of pieces) {
      partial = this.#call(work, () => {
        const sum = this.#aggregate.pieces!.add(partial, piece, info, samplesBefore);
        if (isStranger(this.#site)) assertAtOnce(sum, 'pieces.add');
        return sum;
      });
      header ??= selectRows(piece, { samples: new Uint8Array(piece.samples.length) });
      samplesBefore += piece.samples.length;
      taken(piece.samples.length);
    }
    if (header === undefined) throw new RangeError('a profile of no pieces');
    return { partial, header };
  }

  /** Adds such a profile. */
  join(partial: unknown, { partial: own, header }: AddedPieces, info: ItemInfo, work: Work): unknown {
    return this.#call(work, () => {
      const sum = this.#aggregate.pieces!.join(partial, own, header, info);
      if (isStranger(this.#site)) assertAtOnce(sum, 'pieces.join');
      return sum;
    });
  }

  /** Where there are windows: those of a profile, before it is added. @param closedMs those that ended until then are written */
  windowsOf(profile: Profile, info: ItemInfo, closedMs: number, work: Work): ItemWindows {
    const { isLate, ...windows } = this.#call(work, () =>
      windowsOf(this.#windowRules!, this.#aggregate.windows!, profile, info, closedMs),
    );
    if (isLate) work.facts.count(this.#site.plugin.name, 'late_profiles', 1);
    return windows;
  }

  /** Takes what goes to windows that ended until then out of the partial. */
  takeEnded(partial: unknown, untilMs: number, work: Work): unknown {
    return this.#call(work, () => this.#aggregate.windows!.takeEnded(partial, untilMs));
  }

  /** Bytes that a partial has as bytes; infinite where the aggregate does not tell. */
  sizeOf(partial: unknown, work: Work): number {
    const bytes = this.#call(work, () => this.#aggregate.sizeOf?.(partial));
    return typeof bytes === 'number' && bytes >= 0 ? bytes : Number.POSITIVE_INFINITY;
  }

  /**
   * One after the other, so that of those in files (paths) only one is in memory beside what they are together.
   *
   * @param kept what the others are merged into, if anything
   * @param partials is empty afterwards: the memory of what was merged is needed for what comes of it
   */
  merge(kept: KeptPartial | undefined, partials: (PartialBytes | string)[], work: Work): unknown {
    const decode = (from: PartialBytes | string) =>
      this.#aggregate.decode(typeof from === 'string' ? readSpilled(from) : from);
    return this.#call(work, () => {
      const first = kept === undefined ? partials.shift() : undefined;
      let merged = kept?.partial;
      if (kept === undefined) merged = first === undefined ? this.#aggregate.empty() : decode(first);
      for (let next = partials.shift(); next !== undefined; next = partials.shift()) {
        merged = this.#aggregate.merge(merged, decode(next));
      }
      return merged;
    });
  }

  /** Asked for one by one. @param pipeline names a result that is of no group */
  *results(partial: unknown, pipeline: string, work: Work): Generator<BarrierResult> {
    const { item: _, ...context } = work.itemContext(resultInfo('', 0, {}), this.#site.plugin.name);
    const whole: GroupResult = { group: {}, finish: () => this.#aggregate.finish(partial, context) };
    const results = this.#call(work, () =>
      (this.#aggregate.finishGroups?.(partial, context) ?? [whole])[Symbol.iterator](),
    );
    for (let index = 0; ; index++) {
      const next = this.#call(work, () => results.next());
      if (next.done === true) return;
      const { group } = next.value;
      const finish = () => {
        const profile = next.value.finish();
        if (isStranger(this.#site)) assertProfile(profile);
        return profile;
      };
      yield { info: resultInfo(pipeline, index, group), group, finish: () => this.#call(work, finish, tableBytes) };
    }
  }

  async close(): Promise<void> {
    await this.#aggregate.close?.();
  }

  #call<T>(work: Work, step: () => T, sizeOf?: (given: T) => number): T {
    return work.callNow(this.#site, step, sizeOf);
  }
}

export function resultInfo(name: string, index: number, group: GroupResult['group']): ItemInfo {
  const fields = Object.entries(group).map(([field, value]) => `${field}=${value}`);
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(28, index);
  return { index, name, uri: fields.length === 0 ? name : `${name} (${fields.join(', ')})`, digest };
}
