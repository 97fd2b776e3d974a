/** Whether every stage gets what it needs from what stands before it. */
import type { Capability, Catalogue, CatalogueEntry } from './catalogue.js';
import type { Findings } from './finding.js';
import type { Place } from './tree.js';

export interface PlacedStage {
  readonly entry: CatalogueEntry;
  readonly place: Place;
  /** "stages[1].mark" */
  readonly where: string;
}

/**
 * @param inputCodec absent: the bytes tell, so any codec that decodes may bring what it provides
 */
export function checkStageOrder(
  stages: readonly PlacedStage[],
  inputCodec: CatalogueEntry | undefined,
  catalogue: Catalogue,
  findings: Findings,
): void {
  const decoders = inputCodec === undefined ? catalogue.list().filter((entry) => entry.decodes) : [inputCodec];
  const provided = new Set<Capability>(decoders.flatMap((entry) => entry.provides ?? []));
  for (const { entry, place, where } of stages) {
    for (const need of entry.needs ?? []) {
      if (provided.has(need)) continue;
      const providers = catalogue.list().filter((other) => other.provides?.includes(need) && other.name !== entry.name);
      const later = stages.find((stage) => stage.entry.provides?.includes(need) && stage.entry.name !== entry.name);
      const wayOut =
        later !== undefined
          ? `; "${later.entry.name}" provides it: put it before`
          : providers.length > 0
            ? `; provided by ${providers.map((other) => `"${other.name}"`).join(', ')}`
            : '';
      findings.add(place, 'stage-order', `${where}: needs ${need}, and nothing before it provides that${wayOut}`);
    }
    for (const capability of entry.provides ?? []) provided.add(capability);
  }
}
