import { testPlugin } from 'profpipe/testing';
import plugin from './index.js';

testPlugin(plugin, {
  cases: new URL('../cases/', import.meta.url),
  module: new URL('./index.js', import.meta.url),
});
