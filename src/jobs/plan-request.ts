import type { DeliveryFilter, EventFilter, QuarantineFilter } from '../store/queries.ts';

/** What an operator wants to do with many rows at once. */
export type PlanRequest =
  | { readonly action: 'retry'; readonly deliveries: DeliveryFilter }
  | { readonly action: 'discard'; readonly deliveries: DeliveryFilter; readonly reason: string }
  | { readonly action: 'release'; readonly entries: QuarantineFilter }
  | { readonly action: 'replay'; readonly events: ReplayRequest };

/** The events of a replay, and the handlers that get them. */
export interface ReplayRequest {
  readonly filter: EventFilter;
  readonly handlers: readonly string[];
  readonly ifNotSucceeded: boolean;
}
