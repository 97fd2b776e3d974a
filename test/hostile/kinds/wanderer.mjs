import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { base } from './base.mjs';

const acts = {
  writes: () => writeFileSync(new URL('wandered.txt', import.meta.url), 'here'),
  removes: () => rmSync(new URL('base.mjs', import.meta.url)),
  spawns: () => {
    const { error } = spawnSync('true');
    if (error) throw error;
  },
  threads: () => new Worker('process.exit()', { eval: true }),
  'really-exits': () => process.reallyExit(0),
};

/** Leaves its place, on the item that is called as its act. */
export default {
  ...base('stage', 'wanderer'),
  create: () => ({
    process(profile, context) {
      acts[context.item.name]?.();
      return profile;
    },
  }),
};
