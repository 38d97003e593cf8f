import { isEventKind } from '../contract/catalogue.ts';

/**
 * A kind as a metric's label: every kind costs a time series for ever and
 * senders may make kinds up, so those that the contract does not know share one.
 */
export function boundedKind(kind: string | null): string {
  if (kind === null) return 'none';
  return isEventKind(kind) ? kind : 'unrecognized';
}
