/**
 * Tracebacks: one stack for each goroutine, as `debug=2`, panics and SIGQUIT print them.
 *
 *     goroutine 25 [chan receive, 5 minutes, locked to thread]:
 *     main.innermost(...)                       inlined: no offset
 *         /src/main.go:28
 *     main.park(0xc000012345?)
 *         /src/main.go:32 +0x25                 return address, from the function's entry
 *     created by main.main in goroutine 1
 *         /src/main.go:82 +0x250
 *
 * Addresses are not printed. A location's address is the call's offset from the entry of its function, and 0 where there is none; it
 * has no mapping, so nobody takes it for an address of a file.
 *
 * Source: go1.16 … go1.27 runtime/traceback.go goroutineheader, traceback2 (gentraceback before 1.21), printcreatedby1.
 */
import { type Budget, FormatError, type LabelSpec } from '../../../core/index.js';
import type { GoroutineOptions } from '../../../schemas/gen/options/goroutine.js';
import { Collector, countHeader, type Frame } from './collector.js';
import { type GoroutineHeader, parseGoroutineHeader } from './goroutine-header.js';
import { type Line, lineError } from './lines.js';
import { type Place, parseHex, parsePlace } from './place.js';
import type { ReadText, TextReader } from './text-reader.js';

/** The function that stands for frames which the runtime left out. */
export const ELIDED = '[elided]';

const createdBy = /^created by (.+?)(?: in goroutine (\d{1,18}))?$/;
const elidedFrames = /^\.\.\.(\d{1,18}|additional) frames elided\.\.\.$/;
const ancestor = /^\[originating from goroutine \d+\]:$/;
const foreignFrame = 'non-Go function';
const foreignFrameAt = 'non-Go function at pc=';
const unavailable = 'goroutine running on other thread; stack unavailable';
/** What `go run`, `go test` and the runtime print behind a crash: exit status, registers. */
const trailer = /^(?:exit status \d+|FAIL\b.*|[a-z][a-z0-9]{1,5} +0x[0-9a-f]+)$/;

/** Places that are kept; lines with stack pointers in them do not come again. */
const MAX_PLACES = 65_536;

interface Traceback {
  readonly header: GoroutineHeader;
  readonly line: number;
  /** Location rows, leaf first. */
  readonly stack: number[];
  /** Inlined calls whose physical function is still to come. */
  inlined: Frame[];
  creator: { readonly name: string; readonly goroutine: bigint | undefined } | undefined;
  elided: bigint;
}

/** The name that the next line gives the place of. */
type Awaited =
  | { readonly kind: 'inlined' | 'physical' | 'foreign'; readonly name: string; readonly line: Line }
  | { readonly kind: 'creator' };

export class TracebackReader implements TextReader {
  readonly #collector: Collector;
  readonly #labels: ReadonlySet<string>;
  /** `aside`: stacks that are no goroutine's of the profile, up to the next empty line. */
  #section: 'preamble' | 'traceback' | 'aside' | 'between' = 'preamble';
  #traceback: Traceback | undefined;
  #awaited: Awaited | undefined;
  /** The same few lines come again and again. */
  readonly #places = new Map<string, Place>();
  #cut: ReadText['cut'];
  #goroutinesCut = 0n;
  #lastLine = 0;

  constructor(options: GoroutineOptions, budget: Budget) {
    this.#collector = new Collector(countHeader('goroutine'), options.merge, budget);
    this.#labels = new Set(options.labels);
  }

  read(line: Line): void {
    this.#lastLine = line.number;
    if (!line.ended) this.#readUnfinished(line);
    else if (this.#awaited !== undefined) this.#readPlace(line, this.#awaited);
    else if (/^goroutine \d/.test(line.text)) this.#readHeader(line);
    else if (line.text.trim() === '') this.#readEmpty();
    else if (this.#traceback !== undefined) this.#readInside(line, this.#traceback);
    else if (this.#section === 'between') this.#readBetween(line);
  }

  finish(): ReadText {
    if (this.#section === 'preamble' && this.#cut === undefined) {
      throw new FormatError('E_GOROUTINE_TEXT', 'no "goroutine N [state]:" in the text', {
        section: `line ${this.#lastLine}`,
      });
    }
    if (this.#awaited !== undefined && this.#awaited.kind !== 'creator') this.#drop(this.#lastLine);
    this.#finishTraceback();
    const count = this.#goroutinesCut;
    const missing = count > 0n ? { what: 'goroutines', count } : undefined;
    return { profile: this.#collector.finish(), cut: this.#cut, missing, warning: undefined };
  }

  #readHeader(line: Line): void {
    const header = parseGoroutineHeader(line.text);
    if (header === undefined) throw lineError(line, '"goroutine N [state]:"');
    this.#finishTraceback();
    this.#section = 'traceback';
    this.#traceback = { header, line: line.number, stack: [], inlined: [], creator: undefined, elided: 0n };
  }

  #readEmpty(): void {
    this.#finishTraceback();
    if (this.#section !== 'preamble') this.#section = 'between';
  }

  #readBetween(line: Line): void {
    if (line.text === 'runtime stack:') this.#section = 'aside';
    else if (!trailer.test(line.text)) throw lineError(line, '"goroutine N [state]:"');
  }

  #readInside(line: Line, traceback: Traceback): void {
    const { text } = line;
    const creator = createdBy.exec(text);
    if (creator !== null) {
      const [, name = '', goroutine] = creator;
      traceback.creator = {
        name: linkerName(name),
        goroutine: goroutine === undefined ? undefined : BigInt(goroutine),
      };
      this.#awaited = { kind: 'creator' };
      return;
    }
    const elided = elidedFrames.exec(text);
    if (elided !== null) {
      if (elided[1] !== 'additional') traceback.elided += BigInt(elided[1]!);
      this.#push(traceback, 0n, [{ name: ELIDED, file: '', line: 0n }]);
      return;
    }
    if (ancestor.test(text)) {
      this.#finishTraceback();
      this.#section = 'aside';
      return;
    }
    if (text.trim() === unavailable) return;
    if (text.startsWith(foreignFrameAt)) {
      const pc = parseHex(text.slice(foreignFrameAt.length));
      if (pc === undefined) throw lineError(line, 'an address');
      this.#push(traceback, pc, []);
      return;
    }
    this.#awaited = frameName(line);
  }

  #readPlace(line: Line, awaited: Awaited): void {
    const place = this.#placeOf(line.text);
    if (place === undefined || (awaited.kind === 'foreign' && place.pc === undefined)) {
      // What is no frame of Go's may be no frame at all.
      if (awaited.kind === 'foreign') throw lineError(awaited.line, '"function(arguments)" or "created by function"');
      throw lineError(line, '"file:line"');
    }
    this.#awaited = undefined;
    if (awaited.kind !== 'creator') this.#addFrame(awaited, place);
  }

  #placeOf(text: string): Place | undefined {
    let place = this.#places.get(text);
    if (place === undefined) {
      place = parsePlace(text);
      if (place === undefined) return undefined;
      if (this.#places.size === MAX_PLACES) this.#places.clear();
      this.#places.set(text, place);
    }
    return place;
  }

  #addFrame({ kind, name }: { kind: 'inlined' | 'physical' | 'foreign'; name: string }, place: Place): void {
    const traceback = this.#traceback!;
    const frame = { name: linkerName(name), file: place.file, line: place.line };
    if (kind === 'foreign') this.#push(traceback, place.pc!, name === foreignFrame ? [] : [frame]);
    else if (kind === 'inlined' && place.offset === undefined) traceback.inlined.push(frame);
    else {
      const { inlined } = traceback;
      traceback.inlined = [];
      const offset = place.offset ?? 0n;
      this.#push(traceback, offset > 0n ? offset - 1n : 0n, [...inlined, frame]);
    }
  }

  /** Inlined calls that are still open are in a wrapper, which the runtime does not print. */
  #push(traceback: Traceback, address: bigint, frames: readonly Frame[]): void {
    const { inlined } = traceback;
    traceback.inlined = [];
    if (inlined.length > 0) traceback.stack.push(this.#collector.location(0n, inlined));
    if (frames.length > 0 || address !== 0n) traceback.stack.push(this.#collector.location(address, frames));
  }

  #finishTraceback(): void {
    const traceback = this.#traceback;
    this.#traceback = undefined;
    this.#awaited = undefined;
    if (traceback === undefined) return;
    this.#push(traceback, 0n, []);
    this.#collector.add(traceback.stack, [1n], this.#labelsOf(traceback), traceback.line);
  }

  #labelsOf({ header, creator, elided }: Traceback): LabelSpec[] {
    const labels: LabelSpec[] = header.labels.map(({ key, value }) => ({ key, str: value }));
    const add = (key: string, value: string | bigint | undefined, numUnit = '') => {
      if (value === undefined || !this.#labels.has(key)) return;
      labels.push(typeof value === 'string' ? { key, str: value } : { key, num: value, numUnit });
    };
    add('state', header.state);
    add('wait_minutes', header.waitMinutes > 0n ? header.waitMinutes : undefined, 'minutes');
    add('locked', header.isLocked ? 'thread' : undefined);
    add('created_by', creator?.name);
    add('goroutine', header.goroutine);
    add('creator', creator?.goroutine);
    add('synctest_bubble', header.synctestBubble);
    if (elided > 0n) labels.push({ key: 'elided_frames', num: elided });
    return labels;
  }

  /** The last line of a text that does not end with a line end: a number in it may go on. */
  #readUnfinished(line: Line): void {
    const awaited = this.#awaited;
    if (awaited?.kind === 'creator') return;
    const place = awaited === undefined || awaited.kind === 'foreign' ? undefined : parsePlace(line.text);
    if (awaited !== undefined && place?.offset !== undefined) {
      this.#awaited = undefined;
      this.#addFrame(awaited as Exclude<Awaited, { kind: 'creator' }>, { ...place, offset: 0n });
      this.#cut = { line: line.number, lost: 'its offset was left out' };
    } else if (this.#traceback !== undefined || (this.#section === 'between' && !trailer.test(line.text))) {
      this.#drop(line.number);
    }
  }

  /** Leaves out the goroutine that the text breaks off in. */
  #drop(line: number): void {
    this.#traceback = undefined;
    this.#awaited = undefined;
    this.#cut = { line, lost: 'the goroutine was left out' };
    this.#goroutinesCut++;
  }
}

/** `main.(*server).loop(0xc000012345?, {0x1, 0x2})`, `main.inlined(...)`; C functions have no arguments. */
function frameName(line: Line): Awaited {
  const { text } = line;
  const open = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  if (open <= 0) return { kind: 'foreign', name: text, line };
  return { kind: text.endsWith('(...)') ? 'inlined' : 'physical', name: text.slice(0, open), line };
}

/** Tracebacks print one function by another name. */
function linkerName(name: string): string {
  return name === 'panic' ? 'runtime.gopanic' : name;
}
