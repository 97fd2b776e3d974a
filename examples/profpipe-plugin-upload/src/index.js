/**
 * Uploads each output by HTTP PUT: to an object store, or to whatever takes profiles. An answer other than 2xx costs that output; a server that
 * does not answer stops the run, which can be run again.
 */
import { defineSink, RunStopped, UsageError } from 'profpipe';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: { type: 'string', pattern: '^https?://', description: 'Outputs are put below it, by name.' },
    token: {
      type: 'string',
      default: '',
      description: 'For the header Authorization, as a bearer; write ${ENV:NAME}.',
    },
    timeout_seconds: { type: 'number', exclusiveMinimum: 0, default: 30, description: 'What one upload may take.' },
  },
};

export default defineSink({
  name: 'upload',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'uploads each output by HTTP PUT',
  schema,
  defaultCodec: 'pprof',
  create({ url, token, timeout_seconds: seconds }) {
    const target = ({ name }) => `${url.replace(/\/$/, '')}/${encodeURIComponent(name)}.pb.gz`;
    return {
      labelKeys: [],
      destination: target,
      async prepare() {
        if (!URL.canParse(url)) throw new UsageError('bad-url', `${url} is no URL`);
      },
      async write(item) {
        const destination = target(item);
        const body = Buffer.concat(item.bytes);
        const headers = {
          'content-type': 'application/octet-stream',
          ...(token && { authorization: `Bearer ${token}` }),
        };
        let answer;
        try {
          const signal = AbortSignal.timeout(seconds * 1000);
          answer = await fetch(destination, { method: 'PUT', body, headers, signal });
        } catch (error) {
          const { message } = error.cause ?? error;
          throw new RunStopped('E_UPLOAD', `${destination}: ${message}`, { cause: error });
        }
        if (!answer.ok) throw new Error(`${destination}: the server answered ${answer.status} ${answer.statusText}`);
        return { destination, bytes: body.length };
      },
    };
  },
});
