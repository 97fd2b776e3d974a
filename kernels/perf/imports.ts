/** What the kernel calls of its host. */

/** The first sample is at hand: the host says what is wanted of events, and how large parts are. */
export declare function beginSamples(): void;
/** A record that is no sample, by the number that the host gave it. */
export declare function takeRecord(record: u32): void;
/** @returns row of a thread, as the host has it at that time */
export declare function findThread(pid: i32, tid: i32, event: u32, time: f64): u32;
/** @returns number of the address space of a thread */
export declare function spaceOfThread(thread: u32): u32;
/** @returns number of the kernel's address space, NO_ROW where its frames are left out */
export declare function findKernelSpace(): u32;
/** @param isCaller the address is that of a return: the location is the call's @returns row of a location in the part */
export declare function locate(space: u32, address: f64, isCaller: u32): u32;
/** @returns row of an address space among those of the part's captures */
export declare function captureSpace(space: u32): u32;
/**
 * What the events of a group counted, from the counts of a sample.
 * @param values one for each sample type, for the host to write @returns 0 when the sample is spoilt, or nothing of it is wanted
 */
export declare function countGroup(
  event: u32,
  tid: i32,
  countsStart: usize,
  counts: u32,
  countBytes: u32,
  values: usize,
): u32;
/** The part is full: the host takes its columns, unless it is another share's. */
export declare function takePart(): void;
