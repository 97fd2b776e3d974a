/**
 * The address that a location has for a frame whose return address is known: inside of the call, as Go's own profiles have it, so that
 * all of a profile's addresses are looked up as they are. The only place where the 1 is taken off. Not for the leaf, nor for a frame
 * that a signal or the kernel interrupted: their pc is exact.
 */
export const callAddress = (returnAddress: number): number => returnAddress - 1;
