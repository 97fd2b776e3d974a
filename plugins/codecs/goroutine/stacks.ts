/**
 * Texts that list stacks with addresses and name them below, as all of `debug=1` do.
 *
 *     5 @ 0x43a8a5 0x4076ef 0x50d5fe 0x50d5ff 0x50d5de 0x46cee1
 *     #   0x50d5fd    main.innermost+0x3d    /src/main.go:28
 *     #   0x50d5fe    main.middle+0x3e       /src/main.go:29
 *     #   0x50d5dd    main.park+0x1d         /src/main.go:32
 *
 * The list has return addresses, leaf first; the lines below name them, but neither runtime.goexit at the end, which is left out here
 * as in Go's own pprof, nor (but for contention) the runtime's functions at the leaf. A call that was inlined has an address in the
 * list too, which is none of a call: the names tell, since all of a physical function count from one entry. Those without names stay
 * as they are; a binary tells.
 *
 * Source: go1.16 … go1.27 runtime/pprof/pprof.go printStackRecord; runtime/pprof/proto.go "pcDeck".
 */
import type { Budget, LabelSpec } from '../../../core/index.js';
import { Collector, type Frame } from './collector.js';
import { type Line, lineError } from './lines.js';
import { parseFileLine, parseHex } from './place.js';
import type { StackForm, StackLine } from './stack-form.js';
import type { ReadText, TextReader } from './text-reader.js';

interface NamedFrame extends Frame {
  /** The list's address, or 1 less: a call's. */
  readonly pc: bigint;
  /** Entry of the physical function. */
  readonly entry: bigint;
}

interface StackRecord extends StackLine {
  readonly line: number;
  labels: readonly LabelSpec[];
  readonly frames: NamedFrame[];
}

export class StacksReader implements TextReader {
  readonly #form: StackForm;
  readonly #budget: Budget;
  /** There once the header is read whole, which the first stack tells. */
  #collector: Collector | undefined;
  #counted = 0n;
  #record: StackRecord | undefined;
  /** Where runtime.goexit returns to, as far as seen. */
  readonly #goexits = new Set<bigint>();
  #cut: ReadText['cut'];

  constructor(form: StackForm, budget: Budget) {
    this.#form = form;
    this.#budget = budget;
  }

  read(line: Line): void {
    const { text } = line;
    if (line.number === 1) this.#form.readHeader(line);
    else if (!line.ended) this.#readUnfinished(line);
    else if (text.startsWith('# ')) this.#readComment(line);
    else if (text.startsWith('#')) this.#readFrame(line);
    else if (text.trim() === '') this.#finishRecord(true);
    else this.#readStack(line);
  }

  finish(): ReadText {
    this.#finishRecord(this.#cut === undefined);
    const { total, warning } = this.#form;
    const missing = total === undefined ? 0n : total.count - this.#counted;
    return {
      profile: this.#collected.finish(),
      cut: this.#cut,
      missing: total !== undefined && missing > 0n ? { what: total.what, count: missing } : undefined,
      warning,
    };
  }

  get #collected(): Collector {
    this.#collector ??= new Collector(this.#form.header, this.#form.merges, this.#budget);
    return this.#collector;
  }

  #readStack(line: Line): void {
    const stack = this.#form.readStack(line);
    this.#finishRecord(true);
    if (stack !== undefined) this.#record = { ...stack, line: line.number, frames: [] };
  }

  #readComment(line: Line): void {
    const labels = this.#form.readComment?.(line);
    if (labels === undefined) return;
    if (this.#record === undefined) throw lineError(line, 'a stack above its labels');
    this.#record.labels = labels;
  }

  #readFrame(line: Line): void {
    const [, address = '', name, place = ''] = line.text.split(/\t+/);
    const pc = parseHex(address);
    if (pc === undefined || this.#record === undefined)
      throw lineError(line, '"# 0xADDRESS function+0xOFFSET file:line"');
    // An address that Go's runtime has no function for.
    if (name === undefined) return;
    const plus = name.lastIndexOf('+');
    const offset = parseHex(name.slice(plus + 1));
    const fileLine = parseFileLine(place);
    if (offset === undefined || fileLine === undefined) throw lineError(line, '"function+0xOFFSET file:line"');
    this.#record.frames.push({ name: name.slice(0, plus), ...fileLine, pc, entry: pc - offset });
  }

  /** @param isWhole whether all its lines were there */
  #finishRecord(isWhole: boolean): void {
    const record = this.#record;
    this.#record = undefined;
    if (record === undefined) return;
    const named = nameAddresses(record);
    const last = named.at(-1);
    if (last !== undefined && last.frame === undefined) {
      if (isWhole && (record.frames.length > 0 || named.length === 1)) this.#goexits.add(last.address);
      if (this.#goexits.has(last.address)) named.pop();
    }
    const leaf = named.findIndex(({ frame }) => frame !== undefined);
    const shown = this.#form.hidesRuntime && leaf > 0 ? named.slice(leaf) : named;
    this.#counted += record.count;
    this.#collected.add(this.#locations(shown), record.values, record.labels, record.line);
  }

  /** Runs of frames that one physical function holds become one location, at the address of its innermost call. */
  #locations(named: readonly NamedAddress[]): number[] {
    const stack: number[] = [];
    for (let at = 0; at < named.length; ) {
      const { address, frame } = named[at]!;
      const end = frame === undefined ? at + 1 : physicalEnd(named, at);
      const pc = frame?.pc ?? (address > 0n ? address - 1n : 0n);
      stack.push(
        this.#collected.location(
          pc,
          named.slice(at, end).flatMap((each) => each.frame ?? []),
        ),
      );
      at = end;
    }
    return stack;
  }

  #readUnfinished(line: Line): void {
    const isStack = !line.text.startsWith('#');
    if (!isStack && this.#record === undefined) return;
    this.#cut = {
      line: line.number,
      lost: isStack ? 'the stack was left out' : 'the names of its stack are incomplete',
    };
  }
}

interface NamedAddress {
  readonly address: bigint;
  readonly frame: NamedFrame | undefined;
}

/** Frames stand in the order of the list, each at its address or 1 below; some addresses have none. */
function nameAddresses({ addresses, frames }: StackRecord): NamedAddress[] {
  let next = 0;
  return addresses.map((address) => {
    const frame = frames[next];
    if (frame === undefined || (frame.pc !== address && frame.pc + 1n !== address))
      return { address, frame: undefined };
    next++;
    return { address, frame };
  });
}

/**
 * End of the run that begins at `start` and belongs to one physical function. Neighbours with one entry are several such runs where
 * the function calls itself; the physical function is the last of each, and cannot be inlined into itself.
 */
function physicalEnd(named: readonly NamedAddress[], start: number): number {
  const entry = named[start]!.frame!.entry;
  let end = start + 1;
  while (named[end]?.frame?.entry === entry) end++;
  const physical = named[end - 1]!.frame!.name;
  let at = start;
  while (named[at]!.frame!.name !== physical) at++;
  return at + 1;
}
