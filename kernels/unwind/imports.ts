/** What the kernel calls of its host. */

/** Puts more of the captured stack into its place. @param bytes that are needed of it @returns how many there are now */
export declare function bringStack(bytes: u32): u32;
