/** What a sample has besides its fields: where its stack and its labels start, and how much it may have of each. */
import { LABEL, SAMPLE, TOO_DEEP, TOO_MANY_LABELS } from '../../plugins/codecs/pprof/kernel-codes';
import { labelsPerSample, stackDepth } from './limits';
import { failHere } from './place';
import { stackLength, stackTaken, valuesLength } from './stacks';
import { tableOf } from './tables';

/** Where the starts of labels go: the host says so. */
let labelStarts: usize = 0;
/** Number of values of the first sample; then of the first one that has another number. */
export let valueCount: u32 = 0;
export let oddCount: u32 = 0;
/** That one; −1 for none. */
export let oddRow: i32 = -1;

let stackStart: u32 = 0;
let valueStart: u32 = 0;
let labelStart: u32 = 0;

export function placeLabelStarts(address: usize): void {
  labelStarts = address;
}

export function beginSample(): void {
  const samples = tableOf(SAMPLE);
  const labels = tableOf(LABEL);
  stackStart = stackLength;
  valueStart = valuesLength;
  labelStart = labels.rows;
  store<u32>(samples.starts + (samples.rows << 2), stackTaken + stackStart);
  store<u32>(labelStarts + (samples.rows << 2), labels.taken + labelStart);
}

export function endSample(row: u32, end: usize): void {
  const depth = stackLength - stackStart;
  if (depth > stackDepth) failHere(TOO_DEEP, 0, end, depth);
  const labels = tableOf(LABEL).rows - labelStart;
  if (labels > labelsPerSample) failHere(TOO_MANY_LABELS, 0, end, labels);
  const count = valuesLength - valueStart;
  if (row === 0) valueCount = count;
  else if (count !== valueCount && oddRow < 0) {
    oddRow = i32(row);
    oddCount = count;
  }
}

export function forgetSamples(): void {
  oddRow = -1;
}
