import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { zstd } from '../../../test/helpers/assemble-compressed.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { inflateSection, unzstdSection } from './section.js';

const content = Uint8Array.from({ length: 300_000 }, (_, at) => (at * at) % 251);
const forms = [
  { name: 'zlib', compress: (bytes: Uint8Array) => deflateSync(bytes), decompress: inflateSection, code: 'E_ZLIB' },
  { name: 'zstd', compress: (bytes: Uint8Array) => zstd(bytes), decompress: unzstdSection, code: 'E_ZSTD' },
];

for (const { name, compress, decompress, code } of forms) {
  test(`${name}: a section of the size that it says is decompressed, an empty one too`, () => {
    assert.deepEqual(new Uint8Array(decompress(compress(content), content.length, '.debug_info')), content);
    assert.equal(decompress(compress(new Uint8Array(0)), 0, '.debug_info').length, 0);
  });

  test(`${name}: a size that is not that of the content is refused`, () => {
    const bytes = compress(content);
    for (const size of [content.length - 1, content.length + 1, 0, 2 ** 52]) {
      assertFormatError(() => decompress(bytes, size, '.debug_info'), `${code}_LENGTH`, {
        section: '.debug_info',
        limit: size,
      });
    }
  });

  test(`${name}: bytes that are cut, or no compressed data, are refused`, () => {
    const bytes = compress(content);
    const cut = () => decompress(bytes.subarray(0, bytes.length - 8), content.length, '.debug_info');
    assertFormatError(cut, name === 'zlib' ? 'E_ZLIB_DATA' : 'E_ZSTD_TRUNCATED');
    const none = () => decompress(new Uint8Array(0), 1, '.debug_info');
    assertFormatError(none, name === 'zlib' ? 'E_ZLIB_LENGTH' : 'E_ZSTD_TRUNCATED');
    const garbage = () => decompress(Buffer.from('garbage garbage'), 10, '.debug_info');
    assertFormatError(garbage, name === 'zlib' ? 'E_ZLIB_DATA' : 'E_ZSTD_HEADER');
  });
}

test('zstd: a frame behind the frame is refused', () => {
  const two = Buffer.concat([zstd(content), zstd(content)]);
  assertFormatError(() => unzstdSection(two, 2 * content.length, '.debug_info'), 'E_ZSTD_TRAILING');
});
