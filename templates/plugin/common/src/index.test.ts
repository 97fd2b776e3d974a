import { testPlugin } from 'profpipe/testing';
import plugin from './index.js';

// Each folder of cases/ is a test. `UPDATE=1 npm test` writes what came out as what is expected.
testPlugin(plugin, {
  cases: new URL('../cases/', import.meta.url),
  module: new URL('./index.js', import.meta.url),
});
