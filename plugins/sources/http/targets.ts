/** What is asked for: each target, or each of its endpoints. */
import type { OptionProblem } from '../../../core/index.js';
import type { HttpSourceOptions } from '../../../schemas/gen/options/http-source.js';

export interface Job {
  readonly url: URL;
  /** For messages: without user and password. */
  readonly uri: string;
  /** First part of the names of its items; no two jobs have one. */
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  /** How long the target takes on purpose before it answers. */
  readonly seconds: number;
}

/** What net/http/pprof takes when `profile` is asked for without `seconds`. */
const CPU_SECONDS = 30;

export function jobsOf({ targets, endpoints }: HttpSourceOptions): Job[] {
  const names = new Map<string, number>();
  return targets.flatMap((target) => {
    const { url, labels = {} } = typeof target === 'string' ? { url: target } : target;
    const urls = endpoints.length === 0 ? [new URL(url)] : endpoints.map((endpoint) => endpointOf(url, endpoint));
    return urls.map((each) => {
      const base = nameOf(each);
      const same = (names.get(base) ?? 0) + 1;
      names.set(base, same);
      return {
        url: each,
        uri: uriOf(each),
        name: same === 1 ? base : `${base}-${same}`,
        labels,
        seconds: secondsOf(each),
      };
    });
  });
}

/** URLs that cannot be asked for. */
export function targetProblems({ targets, tls }: HttpSourceOptions): OptionProblem[] {
  const problems: OptionProblem[] = targets.flatMap((target, index) => {
    const [url, path] =
      typeof target === 'string' ? [target, ['targets', index]] : [target.url, ['targets', index, 'url']];
    return URL.canParse(url) ? [] : [{ path, message: 'this is no URL' }];
  });
  if ((tls.cert === undefined) !== (tls.key === undefined))
    problems.push({ path: ['tls'], message: 'cert and key come together' });
  return problems;
}

/** `http://host:6060/prefix` and `heap?gc=1` → `http://host:6060/prefix/debug/pprof/heap?gc=1` */
function endpointOf(target: string, endpoint: string): URL {
  const url = new URL(target);
  const [name = '', query = ''] = endpoint.split('?');
  url.pathname = `${url.pathname.replace(/\/$/, '')}/debug/pprof/${name}`;
  url.search = query;
  return url;
}

/** `api-1-6060-heap`: host, port, and the path without Go's usual part. */
function nameOf({ host, pathname }: URL): string {
  const path = pathname.replace(/\/debug\/pprof(?=\/)/, '').replace(/\/$/, '');
  return `${host}${path}`.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^-|-$/g, '');
}

/** Without user and password. */
export function uriOf(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

function secondsOf({ pathname, searchParams }: URL): number {
  const seconds = Number(searchParams.get('seconds') ?? (pathname.endsWith('/debug/pprof/profile') ? CPU_SECONDS : 0));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}
