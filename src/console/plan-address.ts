import { parseSubjectName } from '../event/subject.ts';
import type { PlanRequest } from '../jobs/plan-request.ts';
import type { DeliveryStatus } from '../store/queries.ts';
import { readEventFilter } from './list-filter.ts';

/** A request of an address, or what is wrong with it; `reason-missing` when a discard has no reason yet. */
export type ReadRequest =
  | { readonly request: PlanRequest; readonly problem?: never }
  | { readonly request?: never; readonly problem: string };

/** The address of the plan for a request: its conditions, as the pages link to it. */
export function planAddress(
  action: PlanRequest['action'],
  conditions: Readonly<Record<string, string>>,
): string {
  return `/plan?${new URLSearchParams({ action, ...conditions }).toString()}`;
}

/** Reads the request of an address. */
export function readPlanRequest(parameters: URLSearchParams, now: number): ReadRequest {
  const given = (name: string): string | undefined => parameters.get(name)?.trim() || undefined;
  const action = given('action');
  switch (action) {
    case 'retry':
      return { request: { action, deliveries: deliveryConditions(parameters) } };
    case 'discard':
      return {
        request: { action, deliveries: deliveryConditions(parameters), reason: given('reason') ?? '' },
      };
    case 'release':
      return { request: { action, entries: entryConditions(parameters) } };
    case 'replay': {
      const { filter, problem } = readEventFilter(parameters, now);
      if (filter === undefined) return { problem };
      const handlers = parameters.getAll('handler');
      const ifNotSucceeded = parameters.get('if_not_succeeded') === 'true';
      return { request: { action, events: { filter, handlers, ifNotSucceeded } } };
    }
    default:
      return { problem: `write an action: retry, discard, release or replay, not ${action ?? 'none'}` };
  }
}

const STATUSES: readonly DeliveryStatus[] = ['pending', 'dead'];

function deliveryConditions(parameters: URLSearchParams) {
  const given = (name: string): string | undefined => parameters.get(name)?.trim() || undefined;
  const [handler, error, source, replay] = [
    given('handler'),
    given('error'),
    given('source'),
    given('replay'),
  ];
  const subject = parseSubjectName(given('subject') ?? '');
  const status = STATUSES.find((each) => each === given('status'));
  const ids = parameters.getAll('delivery');
  return {
    ...(ids.length > 0 && { ids }),
    ...(handler !== undefined && { handler }),
    ...(error !== undefined && { error }),
    ...(source !== undefined && { source }),
    ...(replay !== undefined && { replay }),
    ...(subject && { subject }),
    ...(status && { status }),
  };
}

function entryConditions(parameters: URLSearchParams) {
  const given = (name: string): string | undefined => parameters.get(name)?.trim() || undefined;
  const [problem, source, kind] = [given('problem'), given('source'), given('kind')];
  const ids = parameters.getAll('entry');
  return {
    ...(ids.length > 0 && { ids }),
    ...(problem !== undefined && { problem }),
    ...(source !== undefined && { source }),
    ...(kind !== undefined && { kind }),
  };
}
