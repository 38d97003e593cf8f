/** Addresses of plans. */
import { planRequestOf, planRequestSchemaWith, type PlanRequest } from '../jobs/plan-request.ts';
import type { Queries } from '../store/queries.ts';
import { issueText } from '../view/parameters/parameter-issues.ts';
import { addressValues, momentParameter } from './list-filter.ts';

/** A request of an address, or what is wrong with it. A discard without a reason has an empty one. */
export type ReadRequest =
  | { readonly request: PlanRequest; readonly problem?: never }
  | { readonly request?: never; readonly problem: string };

/** Conditions of a request that are lists. */
const lists: ReadonlySet<string> = new Set(['ids', 'handlers', 'subjects']);
/** Conditions that are true or false. */
const flags: ReadonlySet<string> = new Set(['if_not_succeeded', 'include_overtaken']);

/** The address of the plan for a request: its conditions, as the operators' API names them. */
export function planAddress(
  action: PlanRequest['action'],
  conditions: Readonly<Record<string, string | readonly string[]>>,
): string {
  const address = new URLSearchParams({ action });
  for (const [name, values] of Object.entries(conditions))
    for (const value of [values].flat()) address.append(name, value);
  return `/plan?${address.toString()}`;
}

/**
 * Reads the request of an address: the body of a request to the operators' API, as parameters. A parameter that
 * the action does not have is a problem, because without it the plan would be wider.
 */
export async function readPlanRequest(
  store: Pick<Queries, 'events'>,
  parameters: URLSearchParams,
  now: number,
): Promise<ReadRequest> {
  const given = Object.fromEntries(
    [...addressValues(parameters)].map(([name, values]) => [name, valueOf(name, values)]),
  );
  const read = planRequestSchemaWith(momentParameter(now)).safeParse(given);
  return read.success
    ? { request: await planRequestOf(store, read.data) }
    : { problem: issueText(read.error) };
}

/** A value that is given twice stays a list, which the schema rejects where it takes one. */
function valueOf(name: string, values: readonly string[]): unknown {
  const [first, ...others] = values;
  if (lists.has(name) || others.length > 0) return values;
  if (flags.has(name) && (first === 'true' || first === 'false')) return first === 'true';
  return first;
}
