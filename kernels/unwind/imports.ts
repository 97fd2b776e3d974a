/** What the kernel calls of its host. */

/** Puts bytes [from, to) of a sample's captured stack to `place`. */
export declare function bringStack(sample: u32, from: u32, to: u32, place: usize): void;
/** @returns a site, made by `newSite` and written, of a pc that none is known of */
export declare function makeSite(space: u32, pc: f64, isExact: u32): usize;
/**
 * Takes the step from the frame that is looked at: changes `registers`, and calls setPc and setHasLeftStack.
 * @param site number of the frame's
 * @returns GOES_ON, or how the stack ends
 */
export declare function stepByHost(sample: u32, site: u32): i32;
