/** The built-in plugins: an explicit list, imported by the CLI and by the workers it starts, by nobody else. */
import type { Plugin } from '../core/index.js';
import { foldedCodec } from './codecs/folded/index.js';
import { goroutineCodec } from './codecs/goroutine/index.js';
import { jsonCodec } from './codecs/json/index.js';
import { perfCodec } from './codecs/perf/index.js';
import { pprofCodec } from './codecs/pprof/index.js';
import { fileSink } from './sinks/file/index.js';
import { stdoutSink } from './sinks/stdout/index.js';
import { fileSource } from './sources/file/index.js';
import { httpSource } from './sources/http/index.js';
import { stdinSource } from './sources/stdin/index.js';
import { watchSource } from './sources/watch/index.js';
import { aggregate } from './stages/aggregate/index.js';
import { anonymizeStage } from './stages/anonymize/index.js';
import { diffStage } from './stages/diff/index.js';
import { filterStage } from './stages/filter/index.js';
import { foldStage } from './stages/fold/index.js';
import { markStage } from './stages/mark/index.js';
import { relabelStage } from './stages/relabel/index.js';
import { rewriteStage } from './stages/rewrite/index.js';
import { stackspaceStage } from './stages/stackspace/index.js';
import { symbolizeStage } from './stages/symbolize/index.js';
import { trimStage } from './stages/trim/index.js';
import { unwindStage } from './stages/unwind/index.js';

export const builtins: readonly Plugin[] = [
  fileSource,
  stdinSource,
  watchSource,
  httpSource,
  pprofCodec,
  jsonCodec,
  foldedCodec,
  goroutineCodec,
  perfCodec,
  unwindStage,
  symbolizeStage,
  markStage,
  filterStage,
  diffStage,
  foldStage,
  relabelStage,
  rewriteStage,
  anonymizeStage,
  trimStage,
  aggregate,
  stackspaceStage,
  fileSink,
  stdoutSink,
];
