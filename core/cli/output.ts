/**
 * The only way to stdout and stderr. Whatever passes is masked (secrets.ts) and escaped (escape.ts), so no caller can forget it;
 * colours are given beside the text, never in it.
 */
import { once } from 'node:events';
import picocolors from 'picocolors';
import { maskSecrets } from '../config/secrets.js';
import { escapeJson, escapeText } from './escape.js';

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
export type Piece = string | { readonly text: string; readonly style: Style };
export type ColorMode = 'auto' | 'always' | 'never';

/** Written at once when that much is gathered. */
const BUFFER_CHARS = 1 << 16;

export class Output {
  readonly #stream: NodeJS.WriteStream;
  readonly #colors: ReturnType<typeof picocolors.createColors>;
  #secrets: readonly string[] = [];
  #buffer = '';

  constructor(stream: NodeJS.WriteStream, color: ColorMode) {
    this.#stream = stream;
    const { NO_COLOR: noColor, TERM: term } = process.env;
    const byDefault = stream.isTTY === true && (noColor ?? '') === '' && term !== 'dumb';
    this.#colors = picocolors.createColors(color === 'auto' ? byDefault : color === 'always');
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** @param secrets in the order of `Secrets.list` */
  mask(secrets: readonly string[]): void {
    this.#secrets = secrets;
  }

  line(...pieces: readonly Piece[]): void {
    for (const piece of pieces) this.#buffer += this.#paint(piece);
    this.#buffer += '\n';
    if (this.#buffer.length > BUFFER_CHARS) this.flush();
  }

  /** Any number of lines, no faster than the reader takes them. */
  async lines(lines: Iterable<string>): Promise<void> {
    for (const line of lines) {
      this.line(line);
      await this.drained();
    }
  }

  /** Waits until the reader has taken what was written; at once when it keeps up. */
  async drained(): Promise<void> {
    if (this.isFull) await once(this.#stream, 'drain');
  }

  /** Whether `drained` would wait: who writes many lines asks before, as a wait for nothing costs as much as a line. */
  get isFull(): boolean {
    return this.#stream.writableNeedDrain && !this.#stream.destroyed;
  }

  /** A value as JSON in one line. bigint: a number up to 2^53 − 1, a decimal string beyond. */
  json(value: unknown): void {
    const plain = (_key: string, member: unknown) => {
      if (typeof member === 'string') return maskSecrets(member, this.#secrets);
      return typeof member === 'bigint' ? exactNumber(member) : member;
    };
    this.#buffer += `${escapeJson(JSON.stringify(value, plain))}\n`;
    if (this.#buffer.length > BUFFER_CHARS) this.flush();
  }

  /** Text of several lines that holds nothing from outside (such as help), or that went through escape.ts in parts. */
  text(text: string): void {
    this.#buffer += text.endsWith('\n') ? text : `${text}\n`;
    if (this.#buffer.length > BUFFER_CHARS) this.flush();
  }

  /** Text as it is, without a newline put behind it; it holds nothing from outside. */
  exactly(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length > BUFFER_CHARS) this.flush();
  }

  /** The same as UTF-8. @returns when the bytes are written, or nobody reads them any more: they may be changed then */
  bytes(bytes: Uint8Array): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      this.#stream.write(bytes, () => resolve());
    });
  }

  flush(): void {
    if (this.#buffer !== '') this.#stream.write(this.#buffer);
    this.#buffer = '';
  }

  #paint(piece: Piece): string {
    return typeof piece === 'string' ? this.#safe(piece) : this.#colors[piece.style](this.#safe(piece.text));
  }

  #safe(text: string): string {
    return escapeText(maskSecrets(text, this.#secrets));
  }
}

function exactNumber(value: bigint): number | string {
  const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
  return isSafe ? Number(value) : value.toString();
}
