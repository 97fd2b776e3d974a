/** CRC-64 as xz writes it (ECMA-182, reflected), in two halves of 32 bits. Source: the .xz file format 1.2.1, section 6. */
const POLYNOMIAL_LOW = 0xd7870f42;
const POLYNOMIAL_HIGH = 0xc96c5795;

const tableLow = new Uint32Array(256);
const tableHigh = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let low = byte;
  let high = 0;
  for (let bit = 0; bit < 8; bit++) {
    const carry = low & 1;
    low = ((low >>> 1) | (high << 31)) >>> 0;
    high >>>= 1;
    if (carry === 1) {
      low = (low ^ POLYNOMIAL_LOW) >>> 0;
      high = (high ^ POLYNOMIAL_HIGH) >>> 0;
    }
  }
  tableLow[byte] = low;
  tableHigh[byte] = high;
}

export function crc64(bytes: Uint8Array): { readonly low: number; readonly high: number } {
  let low = 0xffffffff;
  let high = 0xffffffff;
  for (const byte of bytes) {
    const index = (low ^ byte) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ tableLow[index]!;
    high = (high >>> 8) ^ tableHigh[index]!;
  }
  return { low: ~low >>> 0, high: ~high >>> 0 };
}
