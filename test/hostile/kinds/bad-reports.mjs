import { base, fail } from './base.mjs';

export default {
  ...base('stage', 'bad-reports'),
  create: ({ how }) => ({
    process(profile, context) {
      context.report({ how });
      return profile;
    },
  }),
  mergeReports: (a) => (a.how === 'merge' ? fail('mergeReports') : a),
  renderReport: ({ how }) =>
    how === 'render' ? fail('renderReport') : { title: 't', columns: [], rows: [], notes: [] },
  reportJson: ({ how }) => (how === 'json' ? { later: () => 1 } : how),
};
