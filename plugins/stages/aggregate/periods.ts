/** The option `periods: refuse`. */
import { FormatError, type MergeState, type Profile } from '../../../core/index.js';

/** @throws FormatError E_INCOMPATIBLE */
export function checkPeriod(state: MergeState, profile: Profile, uri: string): void {
  const { types, period } = state.header;
  if (types !== undefined && period !== profile.period) throw differ(types.uri, period, uri, profile.period);
}

/** @throws FormatError E_INCOMPATIBLE */
export function checkPeriods(a: MergeState, b: MergeState): void {
  const { types: typesA, period: periodA } = a.header;
  const { types: typesB, period: periodB } = b.header;
  if (typesA === undefined || typesB === undefined || periodA === periodB) return;
  throw differ(typesA.uri, periodA, typesB.uri, periodB);
}

function differ(uriA: string, periodA: bigint, uriB: string, periodB: bigint): FormatError {
  const message = `periods differ: ${uriA} has ${periodA}, ${uriB} has ${periodB}`;
  return new FormatError('E_INCOMPATIBLE', message, { section: 'Profile.period', got: periodB, limit: periodA });
}
