/** One answer, whole. */
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Budget, type Limits, openInput, quoteText } from '../../../core/index.js';
import type { FindProxy } from './proxy.js';
import { uriOf } from './targets.js';
import { TunnelAgent, withCredentials } from './tunnel.js';

export interface TlsFiles {
  readonly ca?: Uint8Array;
  readonly cert?: Uint8Array;
  readonly key?: Uint8Array;
  readonly insecure: boolean;
}

export interface FetchOptions {
  readonly headers: { readonly [name: string]: string };
  readonly proxyOf: FindProxy;
  readonly maxBytes: number;
  readonly limits: Limits;
}

/** What of an error's page is shown. */
const EXCERPT_BYTES = 200;
const MOST_REDIRECTS = 5;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

export class Fetcher {
  readonly #options: FetchOptions;
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https: HttpsAgent;
  readonly #tls: AgentOptions;
  /** By proxy. */
  readonly #tunnels = new Map<string, TunnelAgent>();

  constructor(options: FetchOptions, { ca, cert, key, insecure }: TlsFiles) {
    this.#options = options;
    this.#tls = {
      keepAlive: true,
      rejectUnauthorized: !insecure,
      ...(ca === undefined ? {} : { ca: Buffer.from(ca) }),
      ...(cert === undefined ? {} : { cert: Buffer.from(cert) }),
      ...(key === undefined ? {} : { key: Buffer.from(key) }),
    };
    this.#https = new HttpsAgent(this.#tls);
  }

  /**
   * Follows redirects; the headers of the options go no further than to the scheme, host and port that they are for.
   * @param timeoutMs for all of it
   * @throws Error that says what a person needs: no answer in time, a status other than 200, too large, broken off
   */
  async fetch(url: URL, timeoutMs: number): Promise<Uint8Array> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      let at = url;
      for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
        const headers = at.origin === url.origin ? this.#options.headers : {};
        const answer = await this.#request(at, headers, late.signal);
        if (!REDIRECTS.includes(answer.statusCode) || answer.headers.location === undefined) {
          return await this.#readBody(answer);
        }
        answer.destroy();
        at = redirected(at, answer.headers.location);
      }
      throw new Error(`more than ${MOST_REDIRECTS} redirects, the last to ${uriOf(at)}`);
    } catch (error) {
      if (late.signal.aborted) throw new Error(`no whole answer within ${timeoutMs} ms`, { cause: error });
      const { message } = error as Error;
      throw message === 'aborted' ? new Error('the answer broke off', { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Answers that are under way break off. */
  close(): void {
    for (const agent of [this.#http, this.#https, ...this.#tunnels.values()]) agent.destroy();
  }

  async #request(url: URL, headers: FetchOptions['headers'], signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await this.#requestOnce(url, headers, signal);
    } catch (error) {
      // A connection that was kept may have been closed by the other side meanwhile.
      if (!(error instanceof StaleConnection)) throw error;
      return this.#requestOnce(url, headers, signal);
    }
  }

  #requestOnce(url: URL, given: FetchOptions['headers'], signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { 'user-agent': 'profpipe', 'accept-encoding': 'gzip', ...given };
    const request = this.#start(url, headers, this.#options.proxyOf(url), signal);
    return new Promise((resolve, reject) => {
      request.on('response', resolve);
      request.on('error', (error: NodeJS.ErrnoException) =>
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error),
      );
      request.end();
    });
  }

  #start(url: URL, headers: FetchOptions['headers'], proxy: URL | undefined, signal: AbortSignal): ClientRequest {
    if (url.protocol === 'https:') {
      return requestHttps(url, { agent: proxy === undefined ? this.#https : this.#tunnel(proxy), headers, signal });
    }
    if (proxy === undefined) return requestHttp(url, { agent: this.#http, headers, signal });
    // A proxy takes the whole URL in place of the path.
    const through = {
      ...withCredentials('authorization', url),
      ...headers,
      ...withCredentials('proxy-authorization', proxy),
      host: url.host,
    };
    const path = uriOf(url);
    // Its user and password would be sent to the target as well.
    const to = uriOf(proxy);
    return proxy.protocol === 'https:'
      ? requestHttps(to, { agent: this.#https, headers: through, path, signal })
      : requestHttp(to, { agent: this.#http, headers: through, path, signal });
  }

  #tunnel(proxy: URL): TunnelAgent {
    let agent = this.#tunnels.get(proxy.href);
    if (agent === undefined) {
      agent = new TunnelAgent(proxy, this.#tls);
      this.#tunnels.set(proxy.href, agent);
    }
    return agent;
  }

  async #readBody(answer: IncomingMessage): Promise<Uint8Array> {
    const { maxBytes, limits } = this.#options;
    const bytes = await readAnswer(answer, maxBytes);
    const encoding = answer.headers['content-encoding'] ?? 'identity';
    if (encoding === 'identity') return bytes;
    if (encoding !== 'gzip') throw new Error(`content-encoding ${quoteText(encoding)} was not asked for`);
    return openInput(bytes, new Budget(limits)).readAll(maxBytes);
  }
}

/** @throws Error for what is not followed */
function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to === undefined || !/^https?:$/.test(to.protocol)) throw new Error(`redirect to ${quoteText(location)}`);
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new Error(`redirect from https to ${uriOf(to)}, which is not followed`);
  }
  return to;
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
