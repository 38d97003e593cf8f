/** Plans, as views show them. */
import { maskPath } from '../contract/personal-data.ts';
import { z } from 'zod';
import { subjectName } from '../event/subject.ts';
import type { JobAction } from '../store/jobs.ts';
import type { DeliveryCounts, Prediction } from '../store/plans.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';
import { jobActionSchema } from './job-view.ts';
import type { OfCompany } from '../store/queries.ts';
import type { ReplayRequest } from '../store/replays.ts';
import { ofCompany } from './parameters/conditions.ts';

const count = z.int().min(0);

export const planSchema = z
  .object({
    plan: z.string().describe('Signed. It starts the plan once, until it expires.'),
    action: jobActionSchema,
    ...ofCompany,
    items: count.describe('Deliveries, entries, or calls of a replay; events that it sends to a URL.'),
    made_at: z.iso.datetime().describe('When it was made: what comes later is not part of it.'),
    expires_at: z.iso.datetime().describe('When it cannot be started any more.'),
    handlers: z
      .array(
        z.object({
          handler: z.string().describe('The handler, the machine, or `<machine>/effects`.'),
          items: count.describe('Deliveries, or calls of a replay.'),
          lanes: count.nullable().describe('Lanes that have them; null for a replay.'),
          retried_before: count
            .nullable()
            .describe('Deliveries that were retried before; null for a replay.'),
          oldest_at: z.iso.datetime().nullable().describe('When the first of them failed.'),
          already_succeeded: count
            .nullable()
            .describe(
              'Of a replay: matching events that it has handled successfully before, without those that are stale or overtaken.',
            ),
          stale: count.nullable().describe('Of a replay: stale events that it does not get.'),
        }),
      )
      .describe('By handler; empty for a release.'),
    overtaken: z
      .object({
        count: count.describe('How many are left out.'),
        run: count.describe(
          'How many run although their handler has handled or handles first a later event: it has `stale: true`, or they are included.',
        ),
        shown: z
          .array(
            z.object({
              id: z.string().describe('The delivery, the entry, or the event of a replay.'),
              handler: z.string().describe('The handler that would get it.'),
              by: z.string().nullable().describe('The later event; null for a replay.'),
            }),
          )
          .describe('Some of them.'),
        included: z
          .boolean()
          .describe('Whether the request includes what is overtaken: nothing is left out.'),
      })
      .describe(
        'What handlers with `stale: false` do not get, because they handle a later event of the subject first.',
      ),
    lanes: z
      .array(
        z.object({
          handler: z.string().describe('The handler.'),
          subject: z.string().describe('The subject of the events, `family:id`.'),
          deliveries: count.describe('Its deliveries in the plan.'),
        }),
      )
      .describe('The lanes with most deliveries, ten at most.'),
    entries: z
      .object({
        tried: count.describe('Entries that were tried against the contract, the oldest; 2,000 at most.'),
        passing: count.describe('Of those, entries that are valid now.'),
        verdicts: z
          .object({
            new: count.describe('Become events.'),
            stale: count.describe('Become events older than the latest of their subjects.'),
            ambiguous: count.describe('Become events whose subjects return to earlier content.'),
            duplicate: count.describe('Are of events that are stored already: nothing runs for them.'),
            conflict: count.describe('Have the message id of another event, and stay.'),
          })
          .describe('What the entries that are valid now would become, in the order of their arrival.'),
        left: z
          .array(
            z.object({
              path: z.string().describe('Where, of the first issue.'),
              problem: z.string().describe('What does not fit there.'),
              entries: count.describe('Entries with it.'),
            }),
          )
          .describe('Why others stay, the most frequent first.'),
      })
      .nullable()
      .describe('Of a release: what the current contract lets through.'),
    replay: z
      .object({
        events: count.describe('Events that match.'),
        events_called: count.describe('Of those, events that a handler gets.'),
        subjects: count.describe('Their subjects.'),
        target: z.string().nullable().describe('The URL that gets them instead of handlers.'),
        pruned: count.describe('Matching events that are left out, because their bodies are pruned.'),
        unrecognized: count.describe(
          'Matching events left out, because they were unrecognized when they came: before their kind was defined.',
        ),
      })
      .nullable()
      .describe('Of a replay.'),
  })
  .meta({ id: 'Plan', description: 'What a change of many rows would do.' });

export type PlanView = z.infer<typeof planSchema>;

/** What the current contract would let through. */
export interface TrialRelease {
  readonly tried: number;
  readonly passing: number;
  /** What those would become. A conflict has the message id of another event, and stays. */
  readonly verdicts: Readonly<Record<Prediction, number>>;
  /** The problems that are left, with the number of tried entries. */
  readonly left: readonly { readonly path: string; readonly problem: string; readonly entries: number }[];
}

/** What is older than an event of the subject with which its handler has succeeded: how many are left out, and some. */
export interface OvertakenItems {
  readonly count: number;
  /** Those that run all the same. */
  readonly run: number;
  readonly shown: readonly { readonly id: string; readonly handler: string; readonly by: string | null }[];
}

/** What is shown of a plan: the numbers of its action, null for the others. */
interface ShownPlan {
  /** Signed; it starts the plan. */
  readonly token: string;
  readonly request: {
    readonly action: JobAction;
    readonly includeOvertaken?: boolean;
    readonly deliveries?: OfCompany;
    readonly events?: ReplayRequest;
  };
  readonly overtaken: OvertakenItems;
  readonly items: number;
  readonly madeAt: number;
  readonly expiresAt: number;
  readonly deliveries: DeliveryCounts | null;
  readonly entries: TrialRelease | null;
  readonly replay:
    | (Omit<NonNullable<PlanView['replay']>, 'events_called' | 'target'> & {
        readonly eventsCalled: number;
        readonly handlers: readonly {
          readonly handler: string;
          readonly calls: number;
          readonly alreadySucceeded: number;
          readonly stale: number;
        }[];
      })
    | null;
}

export function planView(plan: ShownPlan): PlanView {
  const { deliveries, entries, replay } = plan;
  return {
    plan: plan.token,
    action: plan.request.action,
    partial: (plan.request.deliveries ?? plan.request.events?.filter)?.partial,
    items: plan.items,
    made_at: instantText(plan.madeAt),
    expires_at: instantText(plan.expiresAt),
    handlers: [
      ...(deliveries?.handlers ?? []).map((each) => ({
        handler: each.handler,
        items: each.deliveries,
        lanes: each.lanes,
        retried_before: each.retriedBefore,
        oldest_at: instantTextOrNull(each.oldestAt),
        already_succeeded: null,
        stale: null,
      })),
      ...(replay?.handlers ?? []).map(({ handler, calls, alreadySucceeded, stale }) => ({
        handler,
        items: calls,
        lanes: null,
        retried_before: null,
        oldest_at: null,
        already_succeeded: alreadySucceeded,
        stale,
      })),
    ],
    overtaken: {
      count: plan.overtaken.count,
      run: plan.overtaken.run,
      shown: plan.overtaken.shown.map(({ id, handler, by }) => ({ id, handler, by })),
      included: plan.request.includeOvertaken ?? plan.request.events?.includeOvertaken ?? false,
    },
    lanes: (deliveries?.lanes ?? []).map(({ handler, subject, deliveries: held }) => ({
      handler,
      subject: subjectName(subject),
      deliveries: held,
    })),
    entries:
      entries === null
        ? null
        : {
            tried: entries.tried,
            passing: entries.passing,
            verdicts: { ...entries.verdicts },
            left: entries.left.map((each) => ({ ...each, path: maskPath(each.path) })),
          },
    replay:
      replay === null
        ? null
        : {
            events: replay.events,
            events_called: replay.eventsCalled,
            subjects: replay.subjects,
            target: plan.request.events?.target ?? null,
            pruned: replay.pruned,
            unrecognized: replay.unrecognized,
          },
  };
}
