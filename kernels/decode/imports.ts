/** What the kernel calls of its host. */

/**
 * Throws, out of the kernel.
 * @param problem of kernel-codes.ts
 * @param message whose row it is in; @param row of the profile, not of what is staged
 * @param field its number, 0 for none; @param address of the field in question
 * @param got the value that is wrong; @param limit that it breaks, where it is none that the host knows
 */
export declare function fail(
  problem: i32,
  message: i32,
  row: u32,
  field: u32,
  address: usize,
  got: u64,
  limit: u64,
): void;
