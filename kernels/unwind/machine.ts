/** The registers of the frame that is looked at, by DWARF number. */

const MOST_REGISTERS = 32;

/** NaN: not known. */
export const registers: usize = memory.data(MOST_REGISTERS * sizeof<f64>(), 16);

export let count: i32 = 0;
export let stackPointer: usize = registers;
export let framePointer: usize = registers;
/** Where the return address is in rules; on arm64 also in the leaf. */
export let returnAddress: usize = registers;
/** Bits of those that a call may change. */
let volatile: u32 = 0;

/** Says what machine it is: once, before all walks. @param pointers numbers of these registers */
export function setMachine(
  registerCount: i32,
  stackPointerNumber: i32,
  framePointerNumber: i32,
  returnAddressNumber: i32,
  volatileBits: u32,
): void {
  count = registerCount;
  stackPointer = register(stackPointerNumber);
  framePointer = register(framePointerNumber);
  returnAddress = register(returnAddressNumber);
  volatile = volatileBits;
}

export function register(number: i32): usize {
  return registers + ((<usize>number) << 3);
}

export function forgetVolatile(): void {
  for (let bits = volatile; bits !== 0; bits &= bits - 1) store<f64>(register(ctz(bits)), NaN);
}

export function forgetAll(): void {
  for (let number = 0; number < count; number++) store<f64>(register(number), NaN);
}
