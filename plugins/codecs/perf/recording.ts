/** A recording as its records come: attributes and features, then everything else in order of time. */
import {
  Budget,
  type ByteInput,
  type DecodeContext,
  FormatError,
  type PlacedReads,
  placedReads,
  ZstdStream,
} from '../../../core/index.js';
import { readAttribute } from './attribute.js';
import { EventTable } from './event-table.js';
import { type FeatureFacts, readBuildId, readBuildIds, readEventNames, readText, untilNul } from './features.js';
import { readAttributes, readFeatures, readIds } from './file-sections.js';
import { FILE_HEADER_BYTES, type FileLayout, PIPE_HEADER_BYTES, readLayout } from './layout.js';
import { RecordCutter } from './record-cutter.js';
import { piecesBehind, piecesInStore } from './record-pieces.js';
import { RecordStore } from './record-store.js';
import { Feature, HEADER_BYTES, RecordType } from './records.js';
import { type SampleHost, SampleKernel } from './sample-kernel.js';
import { unsignedWord, viewOf } from './words.js';

/** Attributes and ids of a file stand before its records: not more than this. */
const MAX_HEAD_BYTES = 16 * 2 ** 20;
/** PERF_RECORD_EVENT_UPDATE that gives a name. */
const EVENT_UPDATE_NAME = 2;

export class Recording {
  readonly events = new EventTable();
  readonly facts: FeatureFacts = { buildIds: new Map(), architecture: undefined };
  readonly #input: ByteInput;
  /** How the input is read at any place, if it can be. */
  #placed: PlacedReads;
  readonly #context: DecodeContext;
  /** Where records and captured stacks lie. */
  readonly store = new RecordStore();
  readonly kernel: SampleKernel;
  readonly #zstd: ZstdStream;
  readonly #inner: RecordCutter;
  #eventsTold = -1;
  #architectureTold: string | undefined;
  /** By event: the sample type of its periods. */
  #columns: readonly number[] | undefined;

  /** @param host gets what the kernel of the machine recorded, in order of time */
  constructor(input: ByteInput, context: DecodeContext, host: SampleHost) {
    this.#input = input;
    this.#placed = input;
    this.#context = context;
    this.kernel = new SampleKernel(this.store, host);
    this.#inner = new RecordCutter('decompressed records', 0, {
      takeSamples: (bytes, at) => this.#takeSamples(bytes, at),
      takeRecord: (view, start, size) => {
        const type = view.getUint32(start, true);
        if (type === RecordType.compressed || type === RecordType.compressed2) {
          throw new FormatError('E_NESTED', 'compressed record within a compressed one', {
            section: 'decompressed records',
          });
        }
        return this.#take(view, start, size);
      },
    });
    this.#zstd = new ZstdStream(new Budget(context.limits), (piece) => this.#inner.push(piece));
  }

  /**
   * Reads all. Yields now and then, so that what was given to the host can be taken away.
   * @throws FormatError after all that came before the place was given; what the host throws
   */
  async *run(): AsyncGenerator<void> {
    // Until then it is not known whether it is compressed.
    await this.#input.head();
    const pieces = this.#input.chunks()[Symbol.asyncIterator]();
    try {
      const { readAt } = this.#input;
      let head = readAt === undefined ? await this.#readHead(pieces) : headAt(readAt);
      const layout = readLayout(head);
      if (layout === 'pipe') {
        yield* this.#records(head, PIPE_HEADER_BYTES, undefined, pieces);
        return;
      }
      // Of a file that comes through a pipe features are wanted too, which stand behind its records.
      if (readAt === undefined && this.#input.compression === 'none') {
        head = await readAll(head, pieces);
        this.#placed = placedReads(head);
      }
      readAttributes(head.subarray(0, layout.data.offset), layout, this.events);
      const { offset, size } = layout.data;
      if (size > 0) this.#readFeatures(layout);
      yield* this.#records(head, offset, size === 0 ? undefined : size, pieces);
      if (size > 0) return;
      const place = { section: 'perf.data header', offset: 48, got: 0 };
      throw new FormatError('E_TRUNCATED', 'the recording was not ended: it does not say how long it is', place);
    } finally {
      await pieces.return?.();
    }
  }

  /** Says which events are wanted. @param columns by event: the sample type of its periods, −1 for those that are not */
  weigh(columns: readonly number[]): void {
    this.#columns = columns;
    this.kernel.setEvents(this.events, this.facts.architecture, columns);
  }

  /** What stands before the records, and the start of these. */
  async #readHead(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
    let head: Uint8Array = new Uint8Array(0);
    let wanted = FILE_HEADER_BYTES;
    for (;;) {
      const next = await pieces.next();
      if (next.done === true) return head;
      head = head.length === 0 ? new Uint8Array(next.value) : Buffer.concat([head, next.value]);
      if (head.length < wanted) continue;
      const layout = readLayout(head);
      if (layout === 'pipe' || layout.data.offset <= head.length) return head;
      wanted = headBytes(layout);
    }
  }

  /** @param size undefined: all that comes */
  async *#records(
    head: Uint8Array,
    offset: number,
    size: number | undefined,
    pieces: AsyncIterator<Uint8Array>,
  ): AsyncGenerator<void> {
    const cutter = new RecordCutter('perf.data', offset, {
      takeSamples: (bytes, at) => this.#takeSamples(bytes, at),
      takeRecord: (view, start, bytes) => this.#take(view, start, bytes),
    });
    let left = size ?? Number.POSITIVE_INFINITY;
    let failure: unknown;
    try {
      const { readInto } = this.#placed;
      // The rest is read too: that tells whether the file was changed meanwhile.
      for await (const piece of readInto === undefined
        ? piecesBehind(head.subarray(offset), pieces)
        : piecesInStore(readInto, offset, this.store)) {
        if (left <= 0) continue;
        const ofRecords = piece.subarray(0, left);
        left -= ofRecords.length;
        cutter.push(ofRecords);
        yield;
      }
      cutter.finish();
      if (size !== undefined && left > 0) {
        const place = { section: 'perf.data', offset: offset + size - left, got: size - left, limit: size };
        throw new FormatError('E_TRUNCATED', 'the file ends within its records', place);
      }
      this.#zstd.finish();
      this.#inner.finish();
    } catch (error) {
      failure = error;
    }
    if (this.#eventsTold >= 0) this.#tellEvents();
    this.kernel.letGoAll();
    if (this.kernel.late > 0) this.#context.count('records_late', this.kernel.late);
    yield;
    if (failure !== undefined) throw failure;
  }

  /** Only of a file that can be read at any place: build IDs are needed before the records. */
  #readFeatures(layout: Parameters<typeof readFeatures>[1]): void {
    const { readAt } = this.#placed;
    if (readAt === undefined) {
      this.#context.warn(
        'features_unread',
        'compressed, so build IDs and the machine are not known before the records',
      );
    } else readFeatures(readAt, layout, (feature, bytes) => this.#takeFeature(feature, bytes));
  }

  /** What is spoilt here is not needed. */
  #takeFeature(feature: number, bytes: Uint8Array): void {
    try {
      if (feature === Feature.buildId) readBuildIds(bytes, this.facts);
      else if (feature === Feature.architecture) this.facts.architecture = readText(bytes);
      else if (feature === Feature.eventDescriptions) readEventNames(bytes, this.events);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#context.count('features_spoilt');
    }
  }

  /** @returns bytes of payload behind the record */
  #take(view: DataView, start: number, size: number): number {
    const type = view.getUint32(start, true);
    if (type < RecordType.firstOfPerf) {
      this.#order(view, start, size);
      return 0;
    }
    const body = new Uint8Array(view.buffer, view.byteOffset + start + HEADER_BYTES, size - HEADER_BYTES);
    switch (type) {
      case RecordType.headerAttribute: {
        const { attribute, size: attributeBytes } = readAttribute(body);
        this.events.add(attribute, readIds(body.subarray(attributeBytes)));
        return 0;
      }
      case RecordType.headerFeature:
        if (body.length >= 8) this.#takeFeature(unsignedWord(viewOf(body), 0), body.subarray(8));
        return 0;
      case RecordType.headerBuildId:
        if (body.length > 28) readBuildId(body, view.getUint16(start + 4, true), this.facts);
        return 0;
      case RecordType.eventUpdate:
        this.#updateEvent(body);
        return 0;
      case RecordType.finishedRound:
        if (this.#eventsTold >= 0) this.#tellEvents();
        this.kernel.endRound();
        return 0;
      case RecordType.compressed:
        this.#zstd.push(body);
        return 0;
      case RecordType.compressed2:
        if (body.length >= 8) this.#zstd.push(body.subarray(8, 8 + unsignedWord(viewOf(body), 0)));
        return 0;
      case RecordType.auxtrace:
        this.#context.count('auxtrace_skipped');
        return body.length >= 8 ? unsignedWord(viewOf(body), 0) : 0;
      case RecordType.headerTracingData:
        return body.length >= 4 ? viewOf(body).getUint32(0, true) : 0;
      default:
        if (type > RecordType.lastOfPerf) this.#context.count('unknown_records');
        return 0;
    }
  }

  /** As `RecordTaker` has it. */
  #takeSamples(bytes: Uint8Array, at: number): number {
    if (bytes.length - at < HEADER_BYTES || viewOf(bytes).getUint32(at, true) !== RecordType.sample) return at;
    this.#tellEvents();
    return this.kernel.takeSamples(bytes, at);
  }

  /** One that is no sample. */
  #order(view: DataView, start: number, size: number): void {
    this.#tellEvents();
    const event = this.events.rowOfRecord(view, start, size);
    const { timeBeforeEnd } = this.events.at(event).places;
    const place = timeBeforeEnd < 0 ? -1 : size - timeBeforeEnd;
    const time = place >= HEADER_BYTES && place + 8 <= size ? unsignedWord(view, start + place) : 0;
    this.kernel.holdRecord(view, start, size, time);
  }

  /** To be called before a record is told apart, or let go. @throws FormatError E_PERF_EVENTS */
  #tellEvents(): void {
    if (this.#eventsTold === this.events.length && this.#architectureTold === this.facts.architecture) return;
    this.events.check();
    this.#eventsTold = this.events.length;
    this.#architectureTold = this.facts.architecture;
    this.kernel.setEvents(this.events, this.facts.architecture, this.#columns);
  }

  #updateEvent(body: Uint8Array): void {
    if (body.length <= 16) return;
    const view = viewOf(body);
    const row = this.events.rowOfId(unsignedWord(view, 8));
    if (row === undefined || unsignedWord(view, 0) !== EVENT_UPDATE_NAME) return;
    this.events.setAskedName(row, untilNul(body.subarray(16)));
  }
}

async function readAll(head: Uint8Array, pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const all = [head];
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
    all.push(new Uint8Array(next.value));
  return Buffer.concat(all);
}

/** What stands before the records. */
function headAt(readAt: NonNullable<ByteInput['readAt']>): Uint8Array {
  const head = readAt(0, FILE_HEADER_BYTES);
  if (head.length < FILE_HEADER_BYTES) return head;
  const layout = readLayout(head);
  return layout === 'pipe' ? head : readAt(0, headBytes(layout));
}

/** @throws FormatError E_PERF_HEADER when these are more than there is any use for */
function headBytes({ data: { offset } }: FileLayout): number {
  if (offset <= MAX_HEAD_BYTES) return offset;
  const place = { section: 'perf.data header', offset: 40, got: offset, limit: MAX_HEAD_BYTES };
  throw new FormatError('E_PERF_HEADER', 'records begin far into the file', place);
}
