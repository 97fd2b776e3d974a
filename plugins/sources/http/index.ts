/** Profiles that programs answer over HTTP, as Go's net/http/pprof does. Holds answers until the run takes them; ends after `count` rounds. */
import { defineSource, parseDuration } from '../../../core/index.js';
import { type HttpSourceOptions, httpSourceSchema } from '../../../schemas/gen/options/http-source.js';

export const httpSource = defineSource<HttpSourceOptions>({
  name: 'http',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'scrapes profiles of running programs, every so often',
  schema: httpSourceSchema,
  checkOptions: async (options) => (await import('./targets.js')).targetProblems(options),
  async create(options, { limits, readFile }) {
    const [{ jobsOf }, { Fetcher }, { compileProxy }, { Scraper }] = await Promise.all([
      import('./targets.js'),
      import('./fetch.js'),
      import('./proxy.js'),
      import('./scraper.js'),
    ]);
    const { headers, proxy, tls } = options;
    const insecure = tls.insecure ?? false;
    const fetcher = new Fetcher(
      { headers, limits, maxBytes: options.max_bytes, proxyOf: compileProxy(proxy, process.env) },
      {
        insecure,
        ...(tls.ca === undefined ? {} : { ca: readFile(tls.ca) }),
        ...(tls.cert === undefined ? {} : { cert: readFile(tls.cert) }),
        ...(tls.key === undefined ? {} : { key: readFile(tls.key) }),
      },
    );
    const schedule = {
      everyMs: parseDuration(options.every),
      jitterMs: parseDuration(options.jitter),
      count: options.count,
      timeoutMs: parseDuration(options.timeout),
      concurrency: options.concurrency,
    };
    return new Scraper(jobsOf(options), schedule, fetcher, insecure);
  },
});
