import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../../test/helpers/profiles.js';
import { frameCounts } from './frame-counts.js';

test('each frame on a stack counts, inlined calls do not', () => {
  const profile = profileOf(`
    main;walk;walk;read>lock 3
    main;walk 2
    main;0x5000 1`);
  assert.deepEqual(
    [...frameCounts(profile)],
    [
      ['main', 6n],
      ['walk', 8n],
      ['read', 3n],
      ['', 1n],
    ],
  );
});
