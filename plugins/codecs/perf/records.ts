/** Numbers of the kernel's and of perf's records. Source: Linux include/uapi/linux/perf_event.h; tools/lib/perf/include/perf/event.h. */

export const RecordType = {
  mmap: 1,
  lost: 2,
  comm: 3,
  exit: 4,
  throttle: 5,
  unthrottle: 6,
  fork: 7,
  read: 8,
  sample: 9,
  mmap2: 10,
  aux: 11,
  itraceStart: 12,
  lostSamples: 13,
  switch: 14,
  switchCpuWide: 15,
  namespaces: 16,
  ksymbol: 17,
  bpfEvent: 18,
  cgroup: 19,
  textPoke: 20,
  auxOutputHardwareId: 21,
  /** From here on perf's own: they have no time. */
  firstOfPerf: 64,
  headerAttribute: 64,
  headerTracingData: 66,
  headerBuildId: 67,
  finishedRound: 68,
  auxtrace: 71,
  eventUpdate: 78,
  headerFeature: 80,
  compressed: 81,
  compressed2: 83,
  lastOfPerf: 83,
} as const;

/** Bits of `misc` in a record's header. */
export const Misc = {
  cpuMode: 7,
  kernel: 1,
  user: 2,
  guestKernel: 4,
  guestUser: 5,
  /** MMAP: of data, not of code. */
  mmapData: 1 << 13,
  /** COMM: the name came with an exec. */
  commExec: 1 << 13,
  /** FORK that perf made of what /proc says: the mappings of the child follow. */
  forkExec: 1 << 13,
  /** MMAP2: a build ID stands where device and inode were. */
  mmapBuildId: 1 << 14,
} as const;

/** Bits of `sample_type`. */
export const SampleField = {
  ip: 1 << 0,
  tid: 1 << 1,
  time: 1 << 2,
  address: 1 << 3,
  read: 1 << 4,
  callchain: 1 << 5,
  id: 1 << 6,
  cpu: 1 << 7,
  period: 1 << 8,
  streamId: 1 << 9,
  raw: 1 << 10,
  branchStack: 1 << 11,
  registersUser: 1 << 12,
  stackUser: 1 << 13,
  identifier: 1 << 16,
} as const;

/** Feature sections that are read. Source: tools/perf/util/header.h */
export const Feature = { buildId: 2, architecture: 6, eventDescriptions: 12, folder: 24 } as const;
/** Bits of the feature set in the header. */
export const FEATURE_BITS = 256;

/** Bytes of `perf_event_header`: type, misc, size. */
export const HEADER_BYTES = 8;
