/** Frames of the answers, one after the other. Texts are addresses of UTF-8 that ends with a NUL, escaped as the form wants it; numbers are whole. */
import { allocate, release } from '../memory';

const FIRST_ROOM: u32 = 1 << 6;

export class Frame {
  line!: f64;
  column!: f64;
  startLine!: f64;
  name!: usize;
  /** 0: the same as the name. */
  systemName!: usize;
  file!: usize;
}

export let frameCount: u32 = 0;
let frames: usize = 0;
let room: u32 = 0;

export function frame(index: u32): Frame {
  return changetype<Frame>(frames + index * offsetof<Frame>());
}

export function forgetFrames(): void {
  frameCount = 0;
}

export function addFrame(name: usize, systemName: usize, file: usize, line: f64, column: f64, startLine: f64): void {
  if (frameCount === room) grow();
  const added = frame(frameCount++);
  added.name = name;
  added.systemName = systemName;
  added.file = file;
  added.line = line;
  added.column = column;
  added.startLine = startLine;
}

function grow(): void {
  const bytes = room * u32(offsetof<Frame>());
  const old = frames;
  room = max(room * 2, FIRST_ROOM);
  frames = allocate(room * u32(offsetof<Frame>()));
  if (bytes === 0) return;
  memory.copy(frames, old, bytes);
  release(old, bytes);
}
