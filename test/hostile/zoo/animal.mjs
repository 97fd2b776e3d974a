/** A stage that behaves until it meets the item that bears its name. */
export const animal = (name, act) => ({
  kind: 'stage',
  name,
  version: '6.6.6',
  api: '^1.0.0',
  summary: 'misbehaves',
  schema: { type: 'object', additionalProperties: false },
  mergeReports: (a) => a,
  create: () => ({
    process: (profile, context) => (context.item.name === name ? act(profile, context) : profile),
  }),
});

export const never = new Promise(() => {});
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
