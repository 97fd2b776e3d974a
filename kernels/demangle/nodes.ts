/** What a mangled name says, as a tree; what is substituted is in several places of it. All nodes of a name go at once. */
import { fail } from './cursor';
import { NODE_BYTES, PENDING } from './limits';
import { NODES, PENDING_MEMBERS } from './memory';

@unmanaged
export class Node {
  /** Of kinds.ts, which says what is in the other fields. */
  kind!: u32;
  detail!: u32;
  /** Nodes, lists, strings, or numbers. */
  first!: usize;
  second!: usize;
  third!: usize;
  fourth!: usize;
}

@unmanaged
class List {
  length!: u32;
}

let next: usize = NODES;
let pending: usize = PENDING_MEMBERS;

export function beginNodes(): void {
  next = NODES;
  pending = PENDING_MEMBERS;
}

function place(bytes: usize): usize {
  if (next + bytes > NODES + NODE_BYTES) {
    fail();
    next = NODES;
  }
  const node = next;
  next += bytes;
  return node;
}

export function makeNode(kind: u32, first: usize = 0, second: usize = 0, third: usize = 0, detail: u32 = 0): Node {
  const node = changetype<Node>(place(offsetof<Node>()));
  node.kind = kind;
  node.detail = detail;
  node.first = first;
  node.second = second;
  node.third = third;
  node.fourth = 0;
  return node;
}

export function asNode(field: usize): Node {
  return changetype<Node>(field);
}

export function asField(node: Node): usize {
  return changetype<usize>(node);
}

/** @returns what `endList` needs */
export function beginList(): usize {
  return pending;
}

export function addToList(member: Node): void {
  if (pending === PENDING_MEMBERS + PENDING * sizeof<usize>()) {
    fail();
    return;
  }
  store<usize>(pending, asField(member));
  pending += sizeof<usize>();
}

/** @returns a list of what was added since the list began, for a field */
export function endList(start: usize): usize {
  const bytes = pending - start;
  pending = start;
  const list = place(offsetof<List>() + bytes);
  changetype<List>(list).length = u32(bytes / sizeof<usize>());
  memory.copy(list + offsetof<List>(), start, bytes);
  return list;
}

export function listLength(list: usize): u32 {
  return changetype<List>(list).length;
}

export function listMember(list: usize, index: u32): Node {
  return asNode(load<usize>(list + offsetof<List>() + index * sizeof<usize>()));
}
