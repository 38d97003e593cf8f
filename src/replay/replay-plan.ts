import { subjectName } from '../event/subject.ts';
import { effectsName } from '../handle/effects-name.ts';
import type { Registry } from '../handle/registry.ts';
import type { EventFilter, Queries } from '../store/queries.ts';
import type { Replays } from '../store/replays.ts';
import { chooseCalls, type CallRules } from './choose-calls.ts';
import { eventPages } from './event-pages.ts';

/** What a replay would do, in numbers. */
export interface ReplayPlan {
  /** That match. */
  readonly events: number;
  /** Of these, those that somebody gets. */
  readonly eventsCalled: number;
  readonly subjects: number;
  readonly handlers: readonly HandlerPlan[];
}

/** Of a handler or a machine; the effects of a machine have a row of their own, `<machine>/effects`. */
export interface HandlerPlan {
  readonly handler: string;
  /** How often it will be called: for effects, how many these events have brought about so far. */
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
    readonly store: Pick<Queries, 'events'> & Pick<Replays, 'eventsInStatus' | 'effectsOf'>;
    readonly registry: Registry;
  },
  request: PlanRequest,
): Promise<ReplayPlan> {
  const { store, registry } = parts;
  const subjects = new Set<string>();
  const plans = new Map<string, HandlerPlan>();
  const add = (handler: string, more: Omit<HandlerPlan, 'handler'>) => {
    const sofar = plans.get(handler);
    plans.set(handler, {
      handler,
      calls: (sofar?.calls ?? 0) + more.calls,
      alreadySucceeded: (sofar?.alreadySucceeded ?? 0) + more.alreadySucceeded,
      stale: (sofar?.stale ?? 0) + more.stale,
    });
  };
  const withEffects = new Set(
    registry.definitions.flatMap((each) =>
      each.type === 'machine' && each.effects.length > 0 ? [each.name] : [],
    ),
  );
  // First of all, so that the rows stand in this order.
  for (const handler of request.handlers) {
    add(handler, none);
    if (withEffects.has(handler)) add(effectsName(handler), none);
  }

  let events = 0;
  let eventsCalled = 0;
  for await (const page of eventPages(store, request.filter, request.after)) {
    events += page.length;
    for (const { source, subject } of page) subjects.add(`${source} ${subjectName(subject)}`);
    const choices = await chooseCalls(parts, page, request);
    for (const { route, decision, succeededBefore } of choices)
      add(route.handler, {
        calls: Number(decision === 'call'),
        alreadySucceeded: Number(succeededBefore),
        stale: Number(decision === 'stale'),
      });
    const calls = choices.filter(({ decision }) => decision === 'call');
    eventsCalled += new Set(calls.map(({ event }) => event.id)).size;
    for (const machine of withEffects) {
      const folded = calls.filter(({ route }) => route.handler === machine).map(({ event }) => event.id);
      if (folded.length === 0) continue;
      const { delivered, succeeded } = await store.effectsOf(effectsName(machine), folded);
      add(effectsName(machine), { calls: delivered, alreadySucceeded: succeeded, stale: 0 });
    }
  }
  return { events, eventsCalled, subjects: subjects.size, handlers: [...plans.values()] };
}

const none = { calls: 0, alreadySucceeded: 0, stale: 0 };

export function plannedCalls(plan: ReplayPlan): number {
  return plan.handlers.reduce((sum, { calls }) => sum + calls, 0);
}
