import { base } from './base.mjs';

export default {
  ...base('stage', 'hangs-when-made'),
  create: () => {
    for (;;);
  },
};
