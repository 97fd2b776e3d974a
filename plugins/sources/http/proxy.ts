/**
 * Which proxy a URL is asked through, by the rules of Go's `net/http` (golang.org/x/net/http/httpproxy): HTTP_PROXY and HTTPS_PROXY by the
 * URL's scheme, or their lower-case names; never for this machine; and NO_PROXY, a list of
 *
 *     *    host.example (and what is below)    .host.example (only below)    10.1.2.3    10.0.0.0/8    any of them with :PORT
 */
import { BlockList, isIP } from 'node:net';
import { UsageError } from '../../../core/index.js';

export type FindProxy = (url: URL) => URL | undefined;

/** What proxies are named by. */
export type ProxyEnvironment = { readonly [name: string]: string | undefined };

/** @param option `environment`, `none`, or the URL of a proxy for all that NO_PROXY does not name @throws UsageError bad-proxy, with the variable */
export function compileProxy(option: string, environment: ProxyEnvironment): FindProxy {
  if (option === 'none') return () => undefined;
  const setTo = (name: string) => environment[name] || environment[name.toLowerCase()] || '';
  const proxyOf = (name: string): URL | undefined =>
    option === 'environment' ? parseProxy(setTo(name), name) : parseProxy(option, 'proxy');
  const proxies = { 'http:': proxyOf('HTTP_PROXY'), 'https:': proxyOf('HTTPS_PROXY') };
  const isDirect = compileExceptions(setTo('NO_PROXY'));
  return (url) => (isDirect(url) ? undefined : proxies[url.protocol as keyof typeof proxies]);
}

/** `proxy:3128` is `http://proxy:3128`. */
function parseProxy(text: string, name: string): URL | undefined {
  if (text === '') return undefined;
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError('bad-proxy', `${name} is no URL of an http or https proxy`, { option: ['proxy'] });
}

type Exception = (host: string, port: string) => boolean;

function compileExceptions(list: string): (url: URL) => boolean {
  const exceptions = list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .map(compileException);
  return ({ hostname, port, protocol }) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    if (host === 'localhost' || isIn(loopback, host)) return true;
    const asked = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
    return exceptions.some((holds) => holds(host, asked));
  };
}

function compileException(entry: string): Exception {
  if (entry === '*') return () => true;
  const [, network = '', prefix] = /^(.*)\/(\d+)$/.exec(entry) ?? [];
  const version = isIP(network);
  if (version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128)) {
    const block = new BlockList();
    block.addSubnet(network, Number(prefix), familyOf(version));
    return (host) => (version === 4 || !isVersion4(host)) && isIn(block, host);
  }
  const [name, port] = splitPort(entry);
  const isPort = (asked: string) => port === undefined || port === asked;
  if (isIP(name) !== 0) {
    const block = new BlockList();
    block.addAddress(name, familyOf(isIP(name)));
    return (host, asked) => isPort(asked) && isIn(block, host);
  }
  const domain = name.replace(/^\*(?=\.)/, '');
  const below = domain.startsWith('.') ? domain : `.${domain}`;
  return (host, asked) =>
    domain !== '' && isIP(host) === 0 && isPort(asked) && (host === domain || host.endsWith(below));
}

/** `host:80`, `[::1]:80`, or without a port: an IPv6 address has none unless it is in brackets. */
function splitPort(entry: string): [host: string, port: string | undefined] {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*)):(\d*)$/.exec(entry) ?? [];
  return port === undefined ? [entry, undefined] : [bracketed ?? plain ?? '', port];
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isIn(block: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && block.check(host, familyOf(version));
}

/** Also one that is written as version 6. */
const isVersion4 = (host: string): boolean => isIP(host) === 4 || host.startsWith('::ffff:');

const familyOf = (version: number) => (version === 4 ? 'ipv4' : 'ipv6');
