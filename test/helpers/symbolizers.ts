/** Other symbolizers' answers: llvm-symbolizer, GNU addr2line, and the binary of the Rust crate addr2line. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import { hasTool } from './go-toolchain.js';

/** Function, file and line, as they compare: paths without "." and "..", names without a version, "" and 0 for what is not known. */
export type PeerFrame = readonly [name: string, file: string, line: number];
/** Innermost first; empty where nothing is known. */
export type PeerAnswer = readonly PeerFrame[];

export interface Symbolizer {
  readonly name: string;
  /** One answer an address, in their order. */
  ask(path: string, addresses: readonly bigint[]): PeerAnswer[];
}

/** As `cargo install addr2line --features bin` installs it; its name is that of GNU's. */
export const crateBinary = process.env.PROFPIPE_ADDR2LINE_CRATE ?? join(homedir(), '.cargo/bin/addr2line');

/** Those that are on this machine. @param gnu name of GNU's, which may be that of another target */
export function findSymbolizers(gnu = 'addr2line'): Symbolizer[] {
  const found: Symbolizer[] = [];
  if (hasTool('llvm-symbolizer')) found.push({ name: 'llvm-symbolizer', ask: askLlvm });
  if (hasTool(gnu)) found.push({ name: 'addr2line', ask: (...asked) => askAddr2line(gnu, ...asked) });
  if (existsSync(crateBinary)) found.push({ name: 'crate', ask: (...asked) => askAddr2line(crateBinary, ...asked) });
  return found;
}

export function makeFrame(name: string, file: string, line: number): PeerFrame {
  return [name.replace(/@{1,2}[\w.+-]+$/, ''), file === '' ? '' : posix.normalize(file), line];
}

function run(command: string, args: readonly string[], addresses: readonly bigint[]): string {
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join('');
  const { stdout, error } = spawnSync(command, args, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (error !== undefined) throw error;
  return stdout.trimEnd();
}

function askLlvm(path: string, addresses: readonly bigint[]): PeerAnswer[] {
  const args = [`--obj=${path}`, '--inlines', '--no-demangle', '--output-style=JSON'];
  return run('llvm-symbolizer', args, addresses)
    .split('\n')
    .map((line) => {
      const { Symbol: frames } = JSON.parse(line) as {
        Symbol: { FunctionName: string; FileName: string; Line: number }[];
      };
      return known(frames.map(({ FunctionName, FileName, Line }) => makeFrame(FunctionName, FileName, Line)));
    });
}

/** A line for the address, then two for each frame: "name", "file:line". */
function askAddr2line(command: string, path: string, addresses: readonly bigint[]): PeerAnswer[] {
  const lines = run(command, ['-a', '-f', '-i', '-e', path], addresses).split('\n');
  const answers: PeerFrame[][] = [];
  for (let row = 0; row < lines.length; row++) {
    if (/^0x[0-9a-f]+$/.test(lines[row]!)) {
      answers.push([]);
      continue;
    }
    const name = lines[row++]!;
    const place = /^(.*):(\d+|\?)(?: \(discriminator \d+\))?$/.exec(lines[row] ?? '');
    if (place === null) throw new Error(`${command}: not a place: ${lines[row]}`);
    const file = place[1] === '??' ? '' : place[1]!;
    answers.at(-1)!.push(makeFrame(name === '??' ? '' : name, file, Number(place[2]!.replace('?', '0'))));
  }
  return answers.map(known);
}

/** Without a function there is no frame, whatever the line. */
function known(frames: PeerFrame[]): PeerAnswer {
  return frames.length === 1 && frames[0]![0] === '' ? [] : frames;
}

/** What two of the answers agree on, as JSON. */
export function agreedAnswer(answers: readonly PeerAnswer[]): string | undefined {
  const texts = answers.map((answer) => JSON.stringify(answer));
  return texts.find((text, row) => texts.indexOf(text) !== row);
}
