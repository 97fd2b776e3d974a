/** A plan as nodes and edges, before any language of pictures. */
import type { Plan } from '../../config/plan.js';

export interface DrawnNode {
  readonly id: string;
  /** `end`: a source or sink. `barrier`: all profiles meet there. */
  readonly shape: 'end' | 'step' | 'barrier';
  /** Texts one below the other. */
  readonly lines: readonly string[];
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

/** Nodes that one worker does in one go. */
export interface DrawnTask {
  readonly id: string;
  readonly title: string;
  readonly nodes: readonly DrawnNode[];
}

export interface Drawing {
  readonly source: DrawnNode;
  readonly tasks: readonly DrawnTask[];
  readonly outputs: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export function drawPlan(plan: Plan): Drawing {
  const source: DrawnNode = {
    id: 'source',
    shape: 'end',
    lines: [plan.source.plugin, detail(plan.source.options, 'paths')],
  };
  const decode: DrawnNode = { id: 'decode', shape: 'step', lines: ['decode', plan.inputCodec?.plugin ?? 'detected'] };
  let count = 0;
  const step = (plugin: string, shape: 'step' | 'barrier'): DrawnNode => ({
    id: `stage${count++}`,
    shape,
    lines: [plugin],
  });
  const segments = plan.segments.map(({ stages, aggregate }) => [
    ...stages.map(({ plugin }) => step(plugin, 'step')),
    ...(aggregate === undefined ? [] : [step(aggregate.plugin, 'barrier')]),
  ]);
  const [first = [], ...later] = segments;
  const behind = later.flat();
  const threads = plan.isolation === 'process' ? 'process' : 'thread';
  const tasks = [
    { id: 'task', title: `each input, in a worker ${threads}`, nodes: [decode, ...first] },
    ...(behind.length === 0 ? [] : [{ id: 'finish', title: 'once, when all inputs are merged', nodes: behind }]),
  ];
  const way = [source, decode, ...first, ...behind];
  const outputs = plan.outputs.map(
    ({ sink }, index): DrawnNode => ({
      id: `output${index}`,
      shape: 'end',
      lines: [sink.plugin, detail(sink.options, 'path')],
    }),
  );
  const last = way.at(-1)!.id;
  const edges = [
    ...way.slice(1).map(({ id }, index) => ({ from: way[index]!.id, to: id })),
    ...plan.outputs.map(({ codec }, index) => ({ from: last, to: `output${index}`, label: codec.plugin })),
  ];
  return { source, tasks, outputs, edges };
}

function detail(options: unknown, key: string): string {
  return [(options as Readonly<Record<string, string | string[] | undefined>>)[key] ?? []].flat().join(' ');
}
