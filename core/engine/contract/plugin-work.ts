/** What each plugin of a plan did, for the summary. */
import type { Plan } from '../../config/plan.js';
import { placesOf, READ_PLACE } from './places.js';
import type { PluginKind } from './plugin.js';
import type { PluginWork, TaskFacts } from './telemetry.js';

/** Of the source, codecs, stages and aggregates, in the order of the plan. What nothing was given to is left out. */
export function workOfPlaces(plan: Plan, work: TaskFacts['work']): PluginWork[] {
  const places = placesOf(plan);
  return Object.entries(work)
    .map(([key, { milliseconds, bytes }]) => {
      const [place = '', name = ''] = key.split('\0');
      return { place: Number(place), name, milliseconds, bytes };
    })
    .sort((a, b) => a.place - b.place || (a.name < b.name ? -1 : 1))
    .map(({ place, name, milliseconds, bytes }) => {
      const { stage, use } = places[place]!;
      const isRead = place === READ_PLACE;
      const kind: PluginKind = isRead ? 'source' : (use?.kind ?? 'codec');
      return { stage, kind, plugin: isRead ? plan.source.plugin : name, ms: roundMs(milliseconds), bytes };
    });
}

/** The same time by plugin, and for reading, decoding and encoding, whatever plugin does them. Sinks are not counted. */
export function workByName(plugins: readonly PluginWork[]): Readonly<Record<string, number>> {
  const byName: Record<string, number> = {};
  for (const { stage, kind, plugin, ms } of plugins) {
    if (kind === 'sink') continue;
    const name = kind === 'source' ? 'read' : kind !== 'codec' ? plugin : stage === 'decode' ? 'decode' : 'encode';
    byName[name] = roundMs((byName[name] ?? 0) + ms);
  }
  return byName;
}

/** To a tenth. */
export const roundMs = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
