/** What the merge's TypeScript gives to its kernel. */

/** A sum left the range of int64: `times` (1 or −1) times 2^64 is to be added to value `value` of all samples' values. */
export declare function turn(value: i32, times: i32): void;
