/** The laws of aggregates, on the inputs of a case. */
import assert from 'node:assert/strict';
import type { Aggregate, AggregatePlugin } from '../engine/contract/plugin.js';
import { assertProfile } from '../engine/strangers/profile-shape.js';
import { stacksOfProfile } from '../profile/edit/stacks.js';
import type { Profile } from '../profile/profile.js';
import { testCreateContext, testItem, testItemContext } from './context.js';

/** @returns the text of the result @throws AssertionError when order, grouping or the way through bytes shows in it */
export async function runAggregate(
  plugin: AggregatePlugin<any, any>,
  options: unknown,
  inputs: readonly Profile[],
): Promise<string> {
  const aggregate = await plugin.create(options, testCreateContext());
  const before = structuredClone(inputs);
  const order = inputs.map((_, index) => index);
  const added = (indexes: readonly number[]): unknown =>
    indexes.reduce((sum, index) => aggregate.add(sum, inputs[index]!, testItem(index)), aggregate.empty());
  const single = (index: number): unknown => added([index]);
  const text = finished(aggregate, added(order));

  const same = (partial: unknown, how: string) => assert.equal(finished(aggregate, partial), text, how);
  same(added([...order].reverse()), 'inputs in reverse order give another result');
  same(
    order.map(single).reduce((a, b) => aggregate.merge(a, b)),
    'merging one by one gives another result than adding',
  );
  same(
    order.map(single).reduceRight((a, b) => aggregate.merge(a, b)),
    'merge is not commutative or not associative',
  );
  same(aggregate.merge(aggregate.empty(), added(order)), 'merging with empty() changes the result');
  same(throughBytes(aggregate, added(order)), 'decode(encode(partial)) is another partial');
  same(
    order.map((index) => throughBytes(aggregate, single(index))).reduce((a, b) => aggregate.merge(a, b)),
    'partials that went through bytes merge to another result',
  );
  assert.deepEqual(inputs, before, 'the aggregate changed its inputs');
  await aggregate.close?.();
  return text;
}

/** As between threads: buffers are copies. */
function throughBytes(aggregate: Aggregate<unknown>, partial: unknown): unknown {
  return aggregate.decode(aggregate.encode(partial).map((piece) => piece.slice()));
}

function finished(aggregate: Aggregate<unknown>, partial: unknown): string {
  const profile = aggregate.finish(partial, testItemContext());
  assertProfile(profile);
  return stacksOfProfile(profile);
}
