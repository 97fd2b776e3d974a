/** Exit codes, a contract with scripts. Node itself uses 1, 3-7, 9, 10, 12 and 13: one of those is a bug of ours. */
export const ExitCode = {
  ok: 0,
  /** Called or configured wrongly: nothing was started, nothing written. */
  usage: 2,
  /** Finished, but at least one input was bad. */
  badInput: 20,
  /** Stopped by something outside (disk full, reader of stdout gone); may be run again. */
  stopped: 21,
  /** A bug in this program. */
  internal: 70,
  /** SIGINT and SIGTERM, after what ran was finished. */
  interrupted: 130,
  terminated: 143,
} as const;
