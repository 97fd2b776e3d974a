/** What all plugins of this folder have in common. */
export const base = (kind, name) => ({
  kind,
  name,
  version: '6.6.6',
  api: '^1.0.0',
  summary: 'misbehaves',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: { how: { type: 'string', default: '' } },
  },
});

export const never = new Promise(() => {});
export const fail = (where) => {
  throw new Error(`${where} was asked to fail`);
};
