/**
 * The schema that editors use: schemas/pipeline.schema.json with the options of plugins in it, in one file (a schema that refers to
 * other files does not work in editors). Of the built-ins it is made here; `pipe schema` makes it with those of a folder besides.
 */

/** A whole value that is a reference: "${level}", "${ENV:LEVEL}". Its type is known only when it is expanded. */
const reference = { type: 'string', pattern: '^\\$\\{[^}]+\\}$' };

/**
 * @param {object} pipeline schemas/pipeline.schema.json
 * @param {{ folder: string, name: string, schema: object }[]} plugins
 */
export function bundlePipelineSchema(pipeline, plugins) {
  const bundle = withReferences(structuredClone(pipeline), '$defs/param');
  const named = (folder) => plugins.filter((plugin) => plugin.folder === folder);
  for (const { folder, name, schema } of plugins) {
    bundle.$defs[`${folder}.${name}`] = inlined(schema, `${folder}.${name}`, folder === 'sinks');
  }
  const { input, stage, output, codec } = bundle.$defs;
  input.properties = { ...input.properties, ...references(named('sources')) };
  stage.properties = references(named('stages'));
  output.properties = references(named('sinks'));
  bundle.$defs.codec = {
    description: codec.description,
    anyOf: [
      { type: 'string', enum: names(named('codecs')) },
      { type: 'object', minProperties: 1, maxProperties: 1, properties: references(named('codecs')) },
      reference,
    ],
  };
  // With third-party plugins any name may be right; without them only those of the built-ins are.
  bundle.if = { required: ['plugins'] };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  bundle.then = {};
  bundle.else = {
    properties: {
      input: { propertyNames: { enum: [...names(named('sources')), 'codec'] } },
      stages: { items: { propertyNames: { enum: names(named('stages')) } } },
      output: { items: { propertyNames: { enum: names(named('sinks')) } } },
    },
  };
  return bundle;
}

const names = (plugins) => plugins.map((plugin) => plugin.name);

const references = (plugins) =>
  Object.fromEntries(plugins.map(({ folder, name }) => [name, { $ref: `#/$defs/${folder}.${name}` }]));

/** Options as a part of the bundle: `null` stands for "no options", a sink's have `codec` too, and `#/` begins at the part. */
function inlined(schema, key, isSink) {
  const { $schema, $id, title, ...rest } = withReferences(structuredClone(schema));
  const text = JSON.stringify(rest).replaceAll('"$ref":"#/', `"$ref":"#/$defs/${key}/`);
  const options = JSON.parse(text);
  if (isSink) options.properties = { ...options.properties, codec: { $ref: '#/$defs/codec' } };
  return { ...options, type: options.required === undefined ? ['object', 'null'] : 'object' };
}

/** Lets a reference stand wherever a number, a boolean or one of a few strings is wanted. Depth is that of our own schemas. */
function withReferences(schema, except, path = '') {
  if (schema === null || typeof schema !== 'object' || path === except) return schema;
  if (Array.isArray(schema)) return schema.map((item) => withReferences(item, except, path));
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'default' || key === 'enum' || key === 'const' || key === 'examples') continue;
    schema[key] = withReferences(value, except, path === '' ? key : `${path}/${key}`);
  }
  const isScalar = ['integer', 'number', 'boolean'].includes(schema.type);
  const isRestrictedString = schema.type === 'string' && (schema.enum ?? schema.pattern) !== undefined;
  if (!isScalar && !isRestrictedString) return schema;
  const { description, default: byDefault, ...rest } = schema;
  return {
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    anyOf: [rest, reference],
  };
}
