/** Copies some bytes, and up to seven more behind them. */
export function copyBytes(to: usize, from: usize, length: u32): void {
  // Calling for a copy costs as much as copying some words.
  if (length > 128) memory.copy(to, from, length);
  else for (let at: usize = 0; at < length; at += 8) store<u64>(to + at, load<u64>(from + at));
}
