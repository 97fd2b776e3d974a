/** What the kernel calls of its host. */

/**
 * Throws, out of the kernel.
 * @param problem of kernel-codes.ts @param value index of the function, or offset of the pc-value table
 * @param codeBytes of the function that the table was read for
 */
export declare function fail(problem: i32, value: u32, codeBytes: u32): void;
