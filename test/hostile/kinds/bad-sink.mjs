import { base, fail, never } from './base.mjs';

export default {
  ...base('sink', 'bad-sink'),
  defaultCodec: 'pprof',
  create: ({ how }) => {
    if (how === 'create') fail('create');
    if (how === 'create-rubbish') return 7;
    return {
      labelKeys: [],
      destination: ({ name }) => (how === 'destination' ? fail('destination') : how === 'no-destination' ? 7 : name),
      prepare: async () => (how === 'prepare' ? fail('prepare') : undefined),
      async write({ name, bytes }) {
        if (name !== 'b') return { destination: name, bytes: 1 };
        for (const piece of bytes) piece.fill(0);
        if (how === 'write') fail('write');
        if (how === 'hang') await never;
        if (how === 'exit') process.exit(3);
        if (how === 'timer') setTimeout(() => fail('timer'), 1);
        if (how === 'timer') await never;
        return how === 'rubbish' ? 'done' : { destination: name, bytes: 1 };
      },
      close: () => (how === 'close' ? fail('close') : undefined),
    };
  },
};
