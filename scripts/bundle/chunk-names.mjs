/**
 * Which chunk a module goes into: modules that the same starts load stand together, so that none loads what it does not need. What is
 * small, and loads nothing large, goes into one chunk for all. What exports nothing of ours goes into none.
 */
import { basename } from 'node:path';

/** Of source, with all that a module loads: reading that much more costs less than one more file. */
const SMALL_BYTES = 2_000;
/** Modules of Node that every start loads anyway. */
const EVERYWHERE = new Set(['node:fs', 'node:path', 'node:url', 'node:util']);

/**
 * @param entries ids of modules where a process, a thread or somebody's import begins; whatever is imported when it is needed is a start too
 * @returns a name for Rolldown's `groups`
 */
export function chunkNames(entries) {
  let names;
  return (id, context) => {
    names ??= nameAll(entries, (module) => context.getModuleInfo(module));
    return names.get(id);
  };
}

function nameAll(entries, infoOf) {
  const startsOf = startsByModule(entries, infoOf);
  const names = new Map();
  const byStarts = new Map();
  for (const [id, starts] of startsOf) {
    // What runs when it is loaded stays in its own file: nobody who wants a neighbour gets it.
    if (isOwn(id) && infoOf(id)?.exports.length === 0) continue;
    if (starts.length > 1 && isSmall(id, infoOf)) {
      names.set(id, 'common');
      continue;
    }
    const key = starts.join();
    if (!byStarts.has(key)) byStarts.set(key, `${basename(id).replace(/\..*/, '')}-${byStarts.size}`);
    names.set(id, byStarts.get(key));
  }
  return names;
}

/** CommonJS modules of packages seem to export nothing. */
const isOwn = (id) => !id.includes('/node_modules/');

/** For each module the numbers of the starts that load it, in order. */
function startsByModule(entries, infoOf) {
  const starts = [...entries];
  const known = new Set(starts);
  const startsOf = new Map();
  for (let start = 0; start < starts.length; start++) {
    for (const id of loadedBy(starts[start], infoOf)) {
      if (!startsOf.has(id)) startsOf.set(id, []);
      startsOf.get(id).push(start);
      for (const later of infoOf(id)?.dynamicallyImportedIds ?? []) {
        if (!known.has(later)) starts.push(later);
        known.add(later);
      }
    }
  }
  return startsOf;
}

/** A module and all that is loaded before it runs. */
function loadedBy(start, infoOf) {
  const loaded = new Set([start]);
  for (const id of loaded) for (const imported of infoOf(id)?.importedIds ?? []) loaded.add(imported);
  return loaded;
}

function isSmall(id, infoOf) {
  let bytes = 0;
  for (const loaded of loadedBy(id, infoOf)) {
    if (EVERYWHERE.has(loaded)) continue;
    const code = infoOf(loaded)?.code;
    if (typeof code !== 'string') return false;
    bytes += code.length;
  }
  return bytes <= SMALL_BYTES;
}
