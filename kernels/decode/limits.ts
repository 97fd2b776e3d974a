/** Limits of core/formats/limits.ts, by their names there. */
export let tableRows: u32 = 0;
export let stackDepth: u32 = 0;
export let labelsPerSample: u32 = 0;
export let stringBytes: u32 = 0;

export function setLimits(rows: u32, depth: u32, labels: u32, bytes: u32): void {
  tableRows = rows;
  stackDepth = depth;
  labelsPerSample = labels;
  stringBytes = bytes;
}
