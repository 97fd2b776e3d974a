/**
 * The memory of a kernel: blocks that are taken and given back, in classes of size. A class is a power of two, or one and a half
 * times one, so that what is given back fits what is asked for next, or can be cut up into blocks that do.
 */

/** Throws out of the kernel. @param bytes how much memory the kernel would have had to have */
declare function outOfMemory(bytes: f64): void;

/** One more than there are classes: that of blocks which are too large. */
const LISTS: u32 = 65;

/** Heads of the lists of free blocks, by class; a free block begins with the next one's address. */
const freeLists: usize = memory.data(LISTS * sizeof<usize>(), 8);

const PAGE_BITS = 16;
/** Pages. */
const LARGEST_STEP = 4096;
const SMALLEST: u32 = 64;
const FIRST_BLOCK: usize = (__heap_base + 15) & ~15;

/** Behind all blocks. */
let end: usize = FIRST_BLOCK;

/** @returns the first class whose blocks have `bytes` bytes: an even one 2n has 2^n, the odd one behind it 1.5 · 2^n */
function classOf(bytes: u32): u32 {
  if (bytes <= SMALLEST) return 12;
  const bits = 31 - clz(bytes - 1);
  const isAboveHalf = (bytes - 1) >> (bits - 1) === 3;
  return 2 * bits + (isAboveHalf ? 2 : 1);
}

/** @returns the last class whose blocks have at most `bytes` bytes */
function classWithin(bytes: u32): u32 {
  const bits = 31 - clz(bytes);
  return 2 * bits + ((bytes >> (bits - 1)) & 1);
}

function sizeOf(kind: u32): u64 {
  return (kind & 1) === 0 ? u64(1) << (kind >> 1) : u64(3) << ((kind >> 1) - 1);
}

/** Bytes of the block that `allocate` gives for so many. */
export function blockSize(bytes: u32): u64 {
  return sizeOf(classOf(bytes));
}

/** @returns a block of `blockSize(bytes)` bytes, aligned to 16; what is in it is left from before */
export function allocate(bytes: u32): usize {
  const free = takeFree(classOf(bytes));
  if (free !== 0) return free;
  const block = end;
  const wanted = u64(block) + blockSize(bytes);
  const pages = i32((wanted + (1 << PAGE_BITS) - 1) >> PAGE_BITS) - memory.size();
  if (wanted > u32.MAX_VALUE || (pages > 0 && !grow(pages))) outOfMemory(f64(wanted));
  end = usize(wanted);
  return block;
}

/**
 * A free block of that class, or the beginning of a larger one: columns that have grown leave much behind, each of another class.
 * @returns 0 when there is none
 */
function takeFree(wanted: u32): usize {
  for (let kind = wanted; kind < LISTS; kind++) {
    const list = freeLists + kind * sizeof<usize>();
    const free = load<usize>(list);
    if (free === 0) continue;
    store<usize>(list, load<usize>(free));
    releaseParts(free + usize(sizeOf(wanted)), free + usize(sizeOf(kind)));
    return free;
  }
  return 0;
}

/** Gives back what is from `at` to `end`, as blocks. */
function releaseParts(at: usize, end: usize): void {
  while (end - at >= SMALLEST) {
    const kind = classWithin(u32(end - at));
    put(at, kind);
    at += usize(sizeOf(kind));
  }
}

/**
 * Four times at once, where that is to be had: V8 takes all memory that has grown for garbage, and collects it. Pages that are not used
 * take no memory.
 */
function grow(pages: i32): boolean {
  return memory.grow(max<i32>(pages, min<i32>(3 * memory.size(), LARGEST_STEP))) >= 0 || memory.grow(pages) >= 0;
}

/** @param bytes what it was allocated for, or its whole size */
export function release(block: usize, bytes: u32): void {
  put(block, classOf(bytes));
}

function put(block: usize, kind: u32): void {
  const list = freeLists + kind * sizeof<usize>();
  store<usize>(block, load<usize>(list));
  store<usize>(list, block);
}

/** Gives all blocks back. The memory stays as large as it is. */
export function releaseAll(): void {
  memory.fill(freeLists, 0, LISTS * sizeof<usize>());
  end = FIRST_BLOCK;
}
