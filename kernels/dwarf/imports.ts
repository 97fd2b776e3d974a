/** What the kernel calls of its host. */

/**
 * Throws, out of the kernel.
 * @param problem of kernel-codes.ts
 * @param position in bytes from the input; of a problem of a table of abbreviations, from where that begins
 * @param got the value that is wrong
 */
export declare function fail(problem: i32, position: u32, got: f64): void;
