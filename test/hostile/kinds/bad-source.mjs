import { readFileSync } from 'node:fs';
import { base, fail } from './base.mjs';

const bytes = readFileSync(new URL('../../../pipelines/samples/goroutine.pb.gz', import.meta.url));
const item = (name) => ({ uri: name, name, data: { bytes } });

export default {
  ...base('source', 'bad-source'),
  create: ({ how }) => ({
    async *items() {
      yield item('a');
      if (how === 'throws') fail('items');
      if (how === 'exits') process.exit(0);
      if (how === 'leaves-timer') setInterval(() => {}, 1_000);
      if (how === 'rubbish') yield { path: 'somewhere' };
      yield item('c');
    },
    close: () => (how === 'close' ? fail('close') : undefined),
  }),
};
