/** Arrays of 32-bit words that grow by half. Public fields, since the loops of merging read and write them directly. */
export class Words {
  data: Uint32Array;
  length: number;

  constructor(data: Uint32Array = new Uint32Array(64), length = 0) {
    this.data = data;
    this.length = length;
  }

  push(word: number): void {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = word;
  }

  /** Makes room for `count` more. */
  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted <= this.data.length) return;
    const grown = new Uint32Array(Math.max(wanted, this.data.length + (this.data.length >>> 1)));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }

  view(): Uint32Array {
    return this.data.subarray(0, this.length);
  }
}
