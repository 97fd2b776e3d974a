import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PrefixTree } from './prefix-tree.js';

test('equal stacks get one node, and a node gives back its stack', () => {
  const stacks = fc.array(fc.array(fc.nat(40), { maxLength: 30 }), { maxLength: 400 });
  fc.assert(
    fc.property(stacks, (drawn) => {
      const tree = new PrefixTree();
      const root = tree.addRoot(0);
      const nodeOf = new Map<string, number>();
      for (const stack of drawn) {
        const node = stack.reduce((parent, location) => tree.child(parent, location), root);
        assert.equal(nodeOf.get(stack.join()) ?? node, node);
        nodeOf.set(stack.join(), node);
        const back: number[] = [];
        for (let at = node; at !== root; at = tree.parent[at]!) back.unshift(tree.location[at]!);
        assert.deepEqual(back, stack);
        assert.equal(tree.depth[node], stack.length);
      }
      assert.equal(new Set(nodeOf.values()).size, nodeOf.size);
    }),
    { numRuns: 50 },
  );
});

test('a tree that outgrows its table keeps its nodes', () => {
  const tree = new PrefixTree();
  const roots = [tree.addRoot(0), tree.addRoot(1)];
  const nodes = Array.from({ length: 5000 }, (_, location) => roots.map((root) => tree.child(root, location)));
  assert.equal(tree.length, 2 + 10_000);
  nodes.forEach((pair, location) => {
    assert.deepEqual(
      roots.map((root) => tree.child(root, location)),
      pair,
    );
  });
});
