/** One answer, whole. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Budget, type Limits, openInput, quoteText } from '../../../core/index.js';

export interface TlsFiles {
  readonly ca?: Uint8Array;
  readonly cert?: Uint8Array;
  readonly key?: Uint8Array;
  readonly insecure: boolean;
}

export interface FetchOptions {
  readonly headers: { readonly [name: string]: string };
  readonly maxBytes: number;
  readonly limits: Limits;
}

/** What of an error's page is shown. */
const EXCERPT_BYTES = 200;

export class Fetcher {
  readonly #options: FetchOptions;
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https: HttpsAgent;

  constructor(options: FetchOptions, { ca, cert, key, insecure }: TlsFiles) {
    this.#options = options;
    this.#https = new HttpsAgent({
      keepAlive: true,
      rejectUnauthorized: !insecure,
      ...(ca === undefined ? {} : { ca: Buffer.from(ca) }),
      ...(cert === undefined ? {} : { cert: Buffer.from(cert) }),
      ...(key === undefined ? {} : { key: Buffer.from(key) }),
    });
  }

  /** @throws Error that says what a person needs: no answer in time, a status other than 200, too large, broken off */
  async fetch(url: URL, timeoutMs: number): Promise<Uint8Array> {
    try {
      return await this.#fetchOnce(url, timeoutMs);
    } catch (error) {
      // A connection that was kept may have been closed by the other side meanwhile.
      if (!(error instanceof StaleConnection)) throw error;
      return this.#fetchOnce(url, timeoutMs);
    }
  }

  /** Answers that are under way break off. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #fetchOnce(url: URL, timeoutMs: number): Promise<Uint8Array> {
    const { headers, maxBytes, limits } = this.#options;
    const isHttps = url.protocol === 'https:';
    const request = (isHttps ? requestHttps : requestHttp)(url, {
      agent: isHttps ? this.#https : this.#http,
      headers: { 'user-agent': 'profpipe', 'accept-encoding': 'gzip', ...headers },
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      request.destroy();
    }, timeoutMs);
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('response', resolve);
        request.on('error', (error: NodeJS.ErrnoException) =>
          reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error),
        );
        request.end();
      });
      const bytes = await readAnswer(answer, maxBytes);
      const encoding = answer.headers['content-encoding'] ?? 'identity';
      if (encoding === 'identity') return bytes;
      if (encoding !== 'gzip') throw new Error(`content-encoding ${quoteText(encoding)} was not asked for`);
      return await openInput(bytes, new Budget(limits)).readAll(maxBytes);
    } catch (error) {
      if (isLate) throw new Error(`no whole answer within ${timeoutMs} ms`, { cause: error });
      const { message } = error as Error;
      throw message === 'aborted' ? new Error('the answer broke off', { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

class StaleConnection extends Error {}

async function readAnswer(answer: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const isGood = answer.statusCode === 200;
  const most = isGood ? maxBytes : EXCERPT_BYTES;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > most) {
      answer.destroy();
      if (isGood) throw new Error(`the answer is larger than max_bytes, ${maxBytes}`);
      break;
    }
  }
  const bytes = Buffer.concat(pieces);
  if (!isGood) {
    const excerpt = bytes.subarray(0, EXCERPT_BYTES).toString('utf8').trim();
    throw new Error(
      `status ${answer.statusCode} ${answer.statusMessage}${excerpt === '' ? '' : `: ${quoteText(excerpt)}`}`,
    );
  }
  return bytes;
}
