/**
 * Samples in order of time put into parts: columns, which the host takes when a part is full. It is cut at the same samples for whoever
 * makes profiles of a share of the parts.
 */
import { NO_ROW } from '../../plugins/codecs/perf/kernel-codes';
import { allocate } from '../memory';
import { addCapture, forgetCaptures, placeCaptures, readRegisters } from './captures';
import { hasHiddenFrames, hasUserChain, pushChain } from './chain';
import { Event, eventAt } from './event';
import { beginSamples, countGroup, takePart } from './imports';
import { countsOf, Sample } from './sample';
import { endStack, forgetStacks, placeStacks, pushFrame, stackLength } from './stacks';
import { forgetThreads, Thread, threadOf } from './threads';

/** A part is full when it has that much of one of these, or so many samples as the host says. */
const FULL_STACK_BYTES: u32 = 8 << 20;
const FULL_MAPPINGS: u32 = 1 << 20;

let hasBegun: bool = false;
let types: u32 = 0;
let fullSamples: u32 = 0;
let share: u32 = 0;
let shares: u32 = 1;
let part: u32 = 0;
/** Of the current part, whosever it is. */
let partSamples: u32 = 0;
let partStackBytes: u32 = 0;
let partMappings: u32 = 0;

/** Samples in the part's columns. */
export let length: u32 = 0;
/** i64s, row-major: one for each sample type. */
export let values: usize = 0;
/** u32s, i32s, u32s by sample: row of its thread, its processor (−1: not known), row of its event. */
export let threads: usize = 0;
export let processors: usize = 0;
export let events: usize = 0;

/** Of all samples of the recording. */
export let samples: u32 = 0;
/** Nanoseconds. */
export let firstTime: f64 = Infinity;
export let lastTime: f64 = 0;
export let samplesOfUnknownEvents: u32 = 0;
export let samplesSpoilt: u32 = 0;
/** Of the samples of the share: those that had frames of the kernel only. */
export let kernelSamplesLeftOut: u32 = 0;

/** What `beginSamples` is to say. @param samplesOfPart at most */
export function setParts(sampleTypes: u32, samplesOfPart: u32, shareIndex: u32, shareCount: u32): void {
  hasBegun = true;
  types = sampleTypes;
  fullSamples = samplesOfPart;
  share = shareIndex;
  shares = shareCount;
  // There is room for one more: a group's, which may come to nothing.
  values = allocate(8 * types * (fullSamples + 1));
  threads = allocate(4 * fullSamples);
  processors = allocate(4 * fullSamples);
  events = allocate(4 * fullSamples);
  placeStacks(fullSamples);
  placeCaptures(fullSamples);
}

/** Whether the current part is of the share. */
export function isOwn(): bool {
  return part % shares === share;
}

/** The part has samples in a space of so many mappings that it had none in before. */
export function addMappings(mappings: u32): void {
  partMappings += mappings;
}

export function addSample(sample: Sample): void {
  if (sample.event === NO_ROW) {
    samplesOfUnknownEvents++;
    return;
  }
  if (!hasBegun) beginSamples();
  const event = eventAt(sample.event);
  if (event.column < 0 && !event.isGroup) return;
  if (sample.isSpoilt) {
    samplesSpoilt++;
    return;
  }
  if (!weigh(sample, event)) return;
  samples++;
  noteTime(sample.time);
  const thread = threadOf(sample);
  if (isOwn()) addOwn(sample, event, thread);
  partSamples++;
  partStackBytes += u32(max(0, sample.stackBytes));
  if (partSamples >= fullSamples || partStackBytes >= FULL_STACK_BYTES || partMappings >= FULL_MAPPINGS) endPart();
}

/** @returns whether it has any weight that is wanted */
function weigh(sample: Sample, event: Event): bool {
  const ofSample = values + 8 * types * length;
  memory.fill(ofSample, 0, 8 * types);
  store<i64>(ofSample, 1);
  if (event.isGroup) {
    return countGroup(sample.event, sample.tid, countsOf(sample), sample.counts, sample.countBytes, ofSample) !== 0;
  }
  store<u64>(ofSample + 8 * event.column, sample.period);
  return true;
}

function noteTime(time: f64): void {
  if (time < 0) return;
  firstTime = min<f64>(firstTime, time);
  lastTime = max<f64>(lastTime, time);
}

function addOwn(sample: Sample, event: Event, thread: Thread): void {
  const firstFrame = stackLength;
  pushChain(sample, thread.space);
  const pc = readRegisters(length, hasUserChain, sample, event);
  const isCaptured = !Number.isNaN(pc);
  if (isCaptured && (!sample.isInUser || sample.chainLength > 0)) pushFrame(thread.space, pc, false);
  if (stackLength === firstFrame && hasHiddenFrames) {
    kernelSamplesLeftOut++;
    return;
  }
  if (isCaptured) addCapture(length, sample, thread);
  store<u32>(threads + 4 * length, thread.row);
  store<i32>(processors + 4 * length, sample.cpu);
  store<u32>(events + 4 * length, sample.event);
  endStack(length);
  length++;
}

function endPart(): void {
  takePart();
  part++;
  partSamples = 0;
  partStackBytes = 0;
  partMappings = 0;
  length = 0;
  forgetStacks();
  forgetCaptures();
  forgetThreads();
}
