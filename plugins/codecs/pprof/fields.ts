/** Field numbers and wire types of profile.proto (see proto/profile.proto) and of protobuf's encoding. */

/** Source: protobuf.dev/programming-guides/encoding. Groups (3, 4) are not supported: profile.proto has none. */
export const WireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Names by number, for errors. */
export const fieldNames = {
  profile: [
    '',
    'sample_type',
    'sample',
    'mapping',
    'location',
    'function',
    'string_table',
    'drop_frames',
    'keep_frames',
    'time_nanos',
    'duration_nanos',
    'period_type',
    'period',
    'comment',
    'default_sample_type',
    'doc_url',
  ],
  valueType: ['', 'type', 'unit'],
  sample: ['', 'location_id', 'value', 'label'],
  label: ['', 'key', 'str', 'num', 'num_unit'],
  mapping: [
    '',
    'id',
    'memory_start',
    'memory_limit',
    'file_offset',
    'filename',
    'build_id',
    'has_functions',
    'has_filenames',
    'has_line_numbers',
    'has_inline_frames',
  ],
  location: ['', 'id', 'mapping_id', 'address', 'line', 'is_folded'],
  line: ['', 'function_id', 'line', 'column'],
  function: ['', 'id', 'name', 'system_name', 'filename', 'start_line'],
} as const satisfies { readonly [message: string]: readonly string[] };

/** Tag of a field that is a number, and of one that is bytes. */
export const varintTag = (field: number): number => (field << 3) | WireType.varint;
export const bytesTag = (field: number): number => (field << 3) | WireType.bytes;

export const ProfileField = {
  sampleType: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  stringTable: 6,
  dropFrames: 7,
  keepFrames: 8,
  timeNanos: 9,
  durationNanos: 10,
  periodType: 11,
  period: 12,
  comment: 13,
  defaultSampleType: 14,
  docUrl: 15,
} as const;

export const ValueTypeField = { type: 1, unit: 2 } as const;

export const SampleField = { locationId: 1, value: 2, label: 3 } as const;

export const LabelField = { key: 1, str: 2, num: 3, numUnit: 4 } as const;

export const MappingField = {
  id: 1,
  memoryStart: 2,
  memoryLimit: 3,
  fileOffset: 4,
  filename: 5,
  buildId: 6,
  hasFunctions: 7,
  hasFilenames: 8,
  hasLineNumbers: 9,
  hasInlineFrames: 10,
} as const;

export const LocationField = { id: 1, mappingId: 2, address: 3, line: 4, isFolded: 5 } as const;

export const LineField = { functionId: 1, line: 2, column: 3 } as const;

export const FunctionField = { id: 1, name: 2, systemName: 3, filename: 4, startLine: 5 } as const;
