/** The requests for plans, as types and as schemas. */
import { z } from 'zod';
import { toldByDefault } from '../operate/change/told-by-default.ts';
import type { DeliveryFilter, Queries, QuarantineFilter } from '../store/queries.ts';
import type { RepairSelection } from '../store/jobs.ts';
import type { ReplayRequest } from '../store/replays.ts';
import {
  companyParameter,
  deliveryConditions,
  deliveryFilter,
  entryConditions,
  entryFilter,
  eventConditionsWith,
  eventFilter,
  includeOvertaken,
  instantParameter,
} from '../view/parameters/conditions.ts';
import { deliveryStatusSchema } from '../view/delivery-view.ts';

interface Overtaking {
  /** Whether handlers that take no stale events run also where they handle a later event of the subject first. */
  readonly includeOvertaken?: boolean;
}

/** What an operator wants to do with many rows at once. */
export type PlanRequest =
  | ({ readonly action: 'retry'; readonly deliveries: DeliveryFilter } & Overtaking)
  | { readonly action: 'discard'; readonly deliveries: DeliveryFilter; readonly reason: string }
  | ({ readonly action: 'release'; readonly entries: QuarantineFilter } & Overtaking)
  | { readonly action: 'replay'; readonly events: ReplayRequest }
  | { readonly action: 'repair'; readonly repair: RepairSelection };

/** Rows that a request may name. */
const MAX_IDS = 10_000;

const idsLike = (id: RegExp, message: string) =>
  z.array(z.string().regex(id, message)).max(MAX_IDS).optional();

/** Strict: a condition that an action does not have would be dropped, and the plan become wider. */
function requestObject<Action extends PlanRequest['action'], Shape extends z.ZodRawShape>(
  action: Action,
  shape: Shape,
) {
  const unknown = `Not a condition here: a ${action} takes ${Object.keys(shape).join(', ')}`;
  return z.strictObject(
    { action: z.literal(action).describe(`A ${action} of many items.`), ...shape },
    { error: ({ code }) => (code === 'unrecognized_keys' ? unknown : undefined) },
  );
}

const deliveries = {
  ids: idsLike(/^d[1-9]\d{0,15}$/u, 'Write `d` and a number').describe('These deliveries.'),
  status: deliveryStatusSchema.optional(),
  ...deliveryConditions,
};

const { reason: quarantinedFor, ...entries } = entryConditions;

/**
 * What a request says, as the operators' API and the console's addresses write it. Each action has conditions of
 * its own.
 *
 * @param instant reads the times of a replay
 */
export function planRequestSchemaWith(instant: typeof instantParameter) {
  return z.discriminatedUnion(
    'action',
    [
      requestObject('retry', { ...deliveries, ...includeOvertaken }),
      requestObject('discard', {
        ...deliveries,
        reason: z
          .string()
          .max(500)
          .default('')
          .describe(
            'Why, stored with each delivery. A plan without it shows what it would do, and cannot be started.',
          ),
      }),
      requestObject('release', {
        ids: idsLike(/^q[1-9]\d{0,15}$/u, 'Write `q` and a number').describe('These entries.'),
        quarantined_for: quarantinedFor,
        ...entries,
        ...includeOvertaken,
      }),
      requestObject('replay', {
        ids: idsLike(/^(?:[0-9a-z]+-)?\d+$/u, 'Write the id of an event, or its number').describe(
          'These events.',
        ),
        ...eventConditionsWith(instant),
        company: companyParameter.optional(),
        handlers: z
          .array(z.string())
          .max(100)
          .default([])
          .describe('The handlers that run again; one at least.'),
        if_not_succeeded: z
          .boolean()
          .default(false)
          .describe('Skip events that a handler has handled successfully.'),
        ...includeOvertaken,
      }),
      requestObject('repair', {
        source: z.string().default('default').describe('The source whose API has the records.'),
        subjects: z
          .array(z.string().regex(/^[a-z-]+:./u, 'Write a family and an id: charge:12'))
          .min(1)
          .max(MAX_IDS)
          .describe('The subjects, `family:id`.'),
        told_to: z
          .enum(['none', 'machines', 'all'])
          .optional()
          .describe(
            'Who hears of it: by default all, and machines only while the source has no event but those of repairs.',
          ),
      }),
    ],
    { error: 'Write retry, discard, release, replay or repair' },
  );
}

/** What a request to the operators' API says. */
export const planRequestSchema = planRequestSchemaWith(instantParameter);

/** Returns the request that was parsed. */
export async function planRequestOf(
  store: Pick<Queries, 'events'>,
  given: z.output<typeof planRequestSchema>,
): Promise<PlanRequest> {
  if (given.action === 'repair') {
    const { action, told_to: told, ...selection } = given;
    const handlers = told ?? (await toldByDefault(store, selection.source));
    return { action, repair: { ...selection, handlers } };
  }
  const ids = given.ids && { ids: given.ids };
  switch (given.action) {
    case 'retry':
    case 'discard': {
      const { status } = given;
      const filter = { ...ids, ...deliveryFilter(given), ...(status && { status }) };
      return given.action === 'retry'
        ? { action: 'retry', deliveries: filter, includeOvertaken: given.include_overtaken }
        : { action: 'discard', deliveries: filter, reason: given.reason };
    }
    case 'release': {
      const { action, quarantined_for: reason, include_overtaken } = given;
      const filter = { ...ids, ...entryFilter({ ...given, reason }) };
      return { action, entries: filter, includeOvertaken: include_overtaken };
    }
    case 'replay': {
      const { action, handlers, if_not_succeeded: ifNotSucceeded } = given;
      const filter = { ...ids, ...eventFilter(given) };
      // Only those who have the store may name a URL: see `portaria replay --to`.
      const events = { filter, handlers, ifNotSucceeded, includeOvertaken: given.include_overtaken };
      return { action, events: { ...events, target: null } };
    }
  }
}
