/** Connections to targets of https through a proxy: it is asked to CONNECT, and sees only bytes from then on (RFC 9110, 9.3.6). */
import { request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { uriOf } from './targets.js';

/** How long a proxy may take to connect. */
const CONNECT_MS = 30_000;

export class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: ConnectionOptions,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const proxy = this.#proxy;
    const target = `${options.host?.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
    const request = (proxy.protocol === 'https:' ? requestHttps : requestHttp)(uriOf(proxy), {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...withCredentials('proxy-authorization', proxy) },
      timeout: CONNECT_MS,
      agent: false,
    });
    const fail = (why: string) => done(new Error(`proxy ${proxy.host}: ${why}`));
    request.on('connect', ({ statusCode, statusMessage }, socket) => {
      if (statusCode !== undefined && statusCode >= 200 && statusCode < 300)
        done(null, connect({ ...options, socket }));
      else {
        socket.destroy();
        fail(`status ${statusCode} ${statusMessage}`);
      }
    });
    request.on('response', (answer) => {
      answer.destroy();
      fail(`status ${answer.statusCode} ${answer.statusMessage}`);
    });
    request.on('timeout', () => request.destroy(new Error(`no connection within ${CONNECT_MS} ms`)));
    request.on('error', (error) => fail(error.message));
    request.end();
  }
}

/** A header with the user and password of a URL (RFC 7617), if it has any. */
export function withCredentials(header: string, { username, password }: URL): { readonly [name: string]: string } {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { [header]: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
