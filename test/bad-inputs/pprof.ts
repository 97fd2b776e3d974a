/** Rows B12 to B37: profiles in protobuf that break profile.proto, or look as if they did. */
import { bytes, hex, repeat, u32, u64 } from '../helpers/assemble.js';
import {
  block,
  FIRST_FREE_STRING,
  int,
  moreStrings,
  packed,
  pprof,
  tableOffset,
  tag,
  varint,
} from '../helpers/assemble-pprof.js';
import { type BadInput, delivered } from './case.js';

const sample = tableOffset('sample');
const end = pprof().length;
const free = FIRST_FREE_STRING;
/** A location's line in main.work. */
const line = block(4, int(1, 1), int(2, 7));

export const pprofInputs: readonly BadInput[] = [
  {
    name: 'B12 varint of eleven bytes',
    content: () => pprof({}, tag(12, 0), repeat(10, hex('ff')), hex('01')),
    expected: { code: 'E_VARINT', section: 'Profile', offset: end },
  },
  {
    name: 'B12 varint that the file ends in',
    content: () => pprof({}, tag(12, 0), hex('80')),
    expected: { code: 'E_TRUNCATED', section: 'Profile' },
  },
  {
    name: 'B13 length beyond the end',
    content: () => pprof({}, tag(2, 2), varint(1000), hex('0a 01 01')),
    expected: { code: 'E_LENGTH', section: 'Profile' },
  },
  {
    name: 'B13 length of 2^63',
    content: () => pprof({}, tag(6, 2), varint(2n ** 63n)),
    expected: { code: 'E_LENGTH', section: 'Profile' },
  },
  {
    name: 'B13 length beyond its message',
    content: () => pprof({ sample: block(2, tag(1, 2), varint(100), hex('01')) }),
    expected: { code: 'E_LENGTH', section: 'Profile.sample[0]' },
  },
  ...[3, 4, 6, 7].map(
    (wireType): BadInput => ({
      name: `B14 wire type ${wireType}`,
      content: () => pprof({}, tag(20, wireType), hex('00')),
      expected: { code: 'E_WIRE_TYPE', section: 'Profile', offset: end, got: String(wireType) },
    }),
  ),
  {
    name: 'B15 a string where a number belongs',
    content: () => pprof({}, block(12, 'text')),
    expected: { code: 'E_WIRE_TYPE', section: 'Profile.period', offset: end },
  },
  {
    name: 'B15 doc_url as bytes',
    content: () => pprof({}, block(15, 'https://example.org')),
    expected: { code: 'E_WIRE_TYPE', section: 'Profile.doc_url', offset: end },
  },
  {
    name: 'B15 a number where a message belongs',
    content: () => pprof({ location: block(4, int(1, 1), int(4, 1)) }),
    expected: { code: 'E_WIRE_TYPE', section: 'Profile.location[0].line' },
  },
  {
    name: 'B15 fixed64 in a label',
    content: () => pprof({ sample: block(2, packed(1, 1), packed(2, 10), block(3, int(1, 1), tag(3, 1), u64(5))) }),
    expected: { code: 'E_WIRE_TYPE', section: /^Profile\.sample.*label.*num$/ },
  },
  {
    name: 'B16 unknown fields',
    content: () => pprof({}, int(100, 7), block(101, 'kept'), tag(102, 1), u64(1), tag(103, 5), u32(1)),
    expected: { ...delivered, counter: 'unknown_fields' },
  },
  {
    name: 'B17 field number 0',
    content: () => pprof({}, hex('02 00')),
    expected: { code: 'E_FIELD', section: 'Profile', offset: end },
  },
  {
    name: 'B18 string index beyond the table',
    content: () => pprof({ function: block(5, int(1, 1), int(2, 991)) }),
    expected: { code: 'E_STRING_INDEX', section: 'Profile.function[0].name', got: '991', limit: '5' },
  },
  {
    name: 'B18 negative string index',
    content: () => pprof({ mapping: block(3, int(1, 1), int(6, -1)) }),
    expected: { code: 'E_STRING_INDEX', section: 'Profile.mapping[0].build_id' },
  },
  ...[
    { field: 7, section: 'Profile.drop_frames' },
    { field: 8, section: 'Profile.keep_frames' },
    { field: 13, section: /^Profile\.comment/ },
    { field: 14, section: 'Profile.default_sample_type' },
    { field: 15, section: 'Profile.doc_url' },
  ].map(
    ({ field, section }): BadInput => ({
      name: `B18 string index in field ${field}`,
      content: () => pprof({}, int(field, 77)),
      expected: { code: 'E_STRING_INDEX', section, got: '77' },
    }),
  ),
  {
    name: 'B18 string index in a label',
    content: () => pprof({ sample: block(2, packed(1, 1), packed(2, 10), block(3, int(1, 88), int(2, 1))) }),
    expected: { code: 'E_STRING_INDEX', section: /^Profile\.sample.*label.*key$/, got: '88' },
  },
  {
    name: 'B19 first string not empty',
    content: () => pprof({ strings: ['x', 'samples', 'count', 'f', 'f', 'a'].map((text) => block(6, text)) }),
    expected: { code: 'E_STRING_TABLE', section: 'Profile.string_table[0]' },
  },
  {
    name: 'B19 no string table',
    content: () => pprof({ strings: '' }),
    expected: { code: 'E_STRING_TABLE', section: 'Profile.string_table' },
  },
  {
    name: 'B20 location id 0',
    content: () => pprof({ location: block(4, int(2, 1), line) }),
    expected: { code: 'E_ID_ZERO', section: 'Profile.location[0].id' },
  },
  {
    name: 'B21 dangling location',
    content: () => pprof({ sample: block(2, packed(1, 5), packed(2, 10)) }),
    expected: { code: 'E_DANGLING', section: /^Profile\.sample\[0\]\.location_id/, got: '5' },
  },
  {
    name: 'B21 dangling function',
    content: () => pprof({ location: block(4, int(1, 1), block(4, int(1, 9))) }),
    expected: { code: 'E_DANGLING', section: /^Profile\.location\[0\]\.line/, got: '9' },
  },
  {
    name: 'B21 dangling mapping',
    content: () => pprof({ location: block(4, int(1, 1), int(2, 9), line) }),
    expected: { code: 'E_DANGLING', section: 'Profile.location[0].mapping_id', got: '9' },
  },
  {
    name: 'B22 one id twice',
    content: () => pprof({ location: [block(4, int(1, 1), line), block(4, int(1, 1), line)] }),
    expected: { code: 'E_ID_TWICE', section: 'Profile.location[1].id', got: '1', message: /\b0\b/ },
  },
  {
    name: 'B23 line without function',
    content: () => pprof({ location: block(4, int(1, 1), block(4, int(2, 7))) }),
    expected: { code: 'E_LINE_WITHOUT_FUNCTION', section: /^Profile\.location\[0\]\.line/ },
  },
  {
    name: 'B24 values at both ends of int64',
    content: () =>
      pprof({
        sampleType: [block(1, int(1, 1), int(2, 2)), block(1, int(1, 3), int(2, 2))],
        sample: block(2, packed(1, 1), packed(2, 2n ** 63n - 1n, -(2n ** 63n))),
      }),
    expected: delivered,
  },
  {
    name: 'B25 negative values',
    content: () => pprof({ sample: block(2, packed(1, 1), packed(2, -10)) }),
    expected: { ...delivered, counter: 'profiles_with_negative_values' },
  },
  {
    name: 'a label with a string and a number',
    content: () => pprof({ sample: block(2, packed(1, 1), packed(2, 10), block(3, int(1, 1), int(2, 2), int(3, 7))) }),
    expected: { ...delivered, counter: 'labels_of_both_kinds' },
  },
  {
    name: 'B26 samples without sample types',
    content: () => pprof({ sampleType: '' }),
    expected: { code: 'E_SAMPLE_TYPES', section: 'Profile' },
  },
  {
    name: 'B27 a value too many',
    content: () => pprof({}, block(2, packed(1, 1), packed(2, 1, 2))),
    expected: { code: 'E_VALUE_COUNT', section: 'Profile.sample[1]', got: '2', limit: '1' },
  },
  { name: 'B28 no samples', content: () => pprof({ sample: '' }), expected: delivered },
  {
    name: 'B29 names that are no UTF-8',
    content: () => pprof({ function: block(5, int(1, 1), int(2, free)), strings: moreStrings(hex('66 ff fe 80')) }),
    expected: delivered,
  },
  {
    name: 'B30 names for a terminal to choke on',
    content: () =>
      pprof({
        function: block(5, int(1, 1), int(2, free), int(4, free + 1)),
        strings: moreStrings('\u001b]0;owned\u0007\u001b[31m\0<script>\u202e', '../../etc/passwd\r\n'),
      }),
    expected: delivered,
  },
  {
    name: 'B31 a million labels on one sample',
    content: () =>
      pprof({ sample: block(2, packed(1, 1), packed(2, 10), repeat(1e6, block(3, int(1, 1), int(2, 2)))) }),
    expected: { code: 'E_LIMIT', section: /^Profile\.sample\[0\]/, limit: '1000', message: /labelsPerSample/ },
  },
  {
    name: 'B32 ids of 2^64 - 1',
    content: () =>
      pprof({
        sample: block(2, packed(1, -1), packed(2, 10)),
        mapping: block(3, int(1, 2n ** 63n), int(2, 0x1000), int(3, 0x9000), int(5, 5)),
        location: block(4, int(1, -1), int(2, 2n ** 63n), int(3, 0x1234), block(4, int(1, 2n ** 53n + 1n))),
        function: block(5, int(1, 2n ** 53n + 1n), int(2, 3)),
      }),
    expected: delivered,
  },
  {
    name: 'B33 packed and not packed in one list',
    content: () => pprof({ sample: block(2, int(1, 1), packed(1, 1, 1), int(1, 1), int(2, 10)) }),
    expected: delivered,
  },
  {
    name: 'B34 a period type in two pieces',
    content: () => pprof({}, block(11, int(1, 1)), block(11, int(2, 2))),
    expected: delivered,
  },
  {
    name: 'B35 a stack of a million locations',
    content: () => pprof({ sample: block(2, block(1, repeat(1e6, hex('01'))), packed(2, 10)) }),
    expected: { code: 'E_LIMIT', section: /^Profile\.sample\[0\]/, limit: '4096', message: /stackDepth/ },
  },
  {
    name: 'B36 a cycle of calls',
    content: () =>
      pprof({
        sample: block(2, packed(1, 1, 2, 1, 2, 1), packed(2, 10)),
        location: [block(4, int(1, 1), line), block(4, int(1, 2), line)],
      }),
    expected: delivered,
  },
  {
    name: 'B37 mappings that are inverted and overlap',
    content: () =>
      pprof({
        mapping: [
          block(3, int(1, 1), int(2, 0x9000), int(3, 0x1000), int(5, 5)),
          block(3, int(1, 2), int(2, 0x1000), int(3, 0x8000), int(5, 5)),
          block(3, int(1, 3), int(2, 0x2000), int(3, 0x9000), int(5, 5)),
        ],
      }),
    expected: delivered,
  },
  {
    name: 'B39 drop_frames that backtracks for ever',
    content: () => pprof({ strings: moreStrings('(a*)*b(a+)+$') }, int(7, free)),
    expected: delivered,
  },
  {
    name: 'cut in the middle',
    content: () => pprof().subarray(0, sample + 3),
    expected: { code: 'E_LENGTH', section: 'Profile' },
  },
  {
    name: 'two profiles in a row',
    content: () => bytes(pprof(), pprof()),
    expected: { code: 'E_CONCATENATED', section: 'Profile.time_nanos' },
  },
];
