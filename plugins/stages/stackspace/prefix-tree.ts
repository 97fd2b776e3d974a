/**
 * Stacks as a tree of their prefixes: a node for each distinct way from the root to a frame. Nodes are numbered as they come, a parent
 * before its children, so that sums over subtrees are one pass backwards. Grows as stacks are added; a lookup hashes two integers.
 */

const FIRST_CAPACITY = 1024;

export class PrefixTree {
  length = 0;
  /** The node of the frame that called; a root is its own parent. */
  parent = new Uint32Array(FIRST_CAPACITY);
  /** Location row; of a root the number that it was made with. */
  location = new Uint32Array(FIRST_CAPACITY);
  /** Frames from the root: 0 for a root. */
  depth = new Uint32Array(FIRST_CAPACITY);
  /** Node + 1 by hash; 0 is free. Twice as many as there is room for nodes. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);

  /** A node without frame, for stacks that do not share prefixes with those of other roots. */
  addRoot(number: number): number {
    return this.#add(this.length, number, 0);
  }

  /** The node of a frame under its caller's node. */
  child(parent: number, location: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(parent, location) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const node = this.#slots[slot]! - 1;
      if (this.parent[node] === parent && this.location[node] === location) return node;
    }
    const node = this.#add(parent, location, this.depth[parent]! + 1);
    // Growing has put the node in already, in another place.
    if (this.#slots.length - 1 === mask) this.#slots[slot] = node + 1;
    return node;
  }

  #add(parent: number, location: number, depth: number): number {
    const node = this.length++;
    const grows = node === this.parent.length;
    if (grows) this.#growColumns();
    this.parent[node] = parent;
    this.location[node] = location;
    this.depth[node] = depth;
    if (grows) this.#rehash();
    return node;
  }

  #growColumns(): void {
    const grown = (column: Uint32Array) => {
      const larger = new Uint32Array(column.length * 2);
      larger.set(column);
      return larger;
    };
    this.parent = grown(this.parent);
    this.location = grown(this.location);
    this.depth = grown(this.depth);
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.parent.length * 2);
    const mask = this.#slots.length - 1;
    for (let node = 0; node < this.length; node++) {
      // Roots are never looked up.
      if (this.depth[node] === 0) continue;
      let slot = hash(this.parent[node]!, this.location[node]!) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = node + 1;
    }
  }
}

function hash(parent: number, location: number): number {
  let mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(location + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
