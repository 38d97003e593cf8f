import { subjectName } from '../event/subject.ts';
import type { Registry } from '../handle/registry.ts';
import type { EventFilter, Queries } from '../store/queries.ts';
import type { Replays } from '../store/replays.ts';
import { chooseCalls, type CallRules } from './choose-calls.ts';
import { eventPages } from './event-pages.ts';

/** What a replay would do, in numbers. */
export interface ReplayPlan {
  /** That match. */
  readonly events: number;
  readonly subjects: number;
  readonly handlers: readonly HandlerPlan[];
}

export interface HandlerPlan {
  readonly handler: string;
  /** How often it will be called. */
  readonly calls: number;
  /** Of the events it takes, how many it finished well before. */
  readonly alreadySucceeded: number;
  /** Stale events that it does not take. */
  readonly stale: number;
}

export interface PlanRequest extends CallRules {
  readonly filter: EventFilter;
  /** Counts from the event after this one: a replay that is resumed. */
  readonly after?: string | null;
}

/** Counts what a replay would do; changes nothing. Memory grows with the number of subjects alone. */
export async function planReplay(
  parts: {
    readonly store: Pick<Queries, 'events'> & Pick<Replays, 'succeededFor'>;
    readonly registry: Registry;
  },
  request: PlanRequest,
): Promise<ReplayPlan> {
  const subjects = new Set<string>();
  const plans = new Map(request.handlers.map((handler) => [handler, emptyPlan(handler)]));
  let events = 0;
  for await (const page of eventPages(parts.store, request.filter, request.after)) {
    events += page.length;
    for (const { source, subject } of page) subjects.add(`${source} ${subjectName(subject)}`);
    for (const { route, decision, succeededBefore } of await chooseCalls(parts, page, request)) {
      const plan = plans.get(route.handler) ?? emptyPlan(route.handler);
      plans.set(route.handler, {
        handler: route.handler,
        calls: plan.calls + Number(decision === 'call'),
        alreadySucceeded: plan.alreadySucceeded + Number(succeededBefore),
        stale: plan.stale + Number(decision === 'stale'),
      });
    }
  }
  return { events, subjects: subjects.size, handlers: [...plans.values()] };
}

export function plannedCalls(plan: ReplayPlan): number {
  return plan.handlers.reduce((sum, { calls }) => sum + calls, 0);
}

function emptyPlan(handler: string): HandlerPlan {
  return { handler, calls: 0, alreadySucceeded: 0, stale: 0 };
}
