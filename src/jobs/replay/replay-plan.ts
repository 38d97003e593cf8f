/** Plans replays, in numbers. */
import { effectsName } from '../../handle/define/machine.ts';
import type { Registry } from '../../handle/load/registry.ts';
import type { Replays } from '../../store/replays.ts';
import { createChooseCalls, selectionFor, type CallRules } from './choose-calls.ts';

/** What a replay would do, in numbers. */
export interface ReplayPlan {
  /** Events that match the filter. */
  readonly events: number;
  /** Matching events that at least one handler gets. */
  readonly eventsCalled: number;
  readonly subjects: number;
  /** Matching events that are left out, because their bodies are pruned. */
  readonly pruned: number;
  /**
   * Matching events that a handler does not get because they were unrecognized when they came, though the contract
   * has their kind now.
   */
  readonly unrecognized: number;
  readonly handlers: readonly HandlerPlan[];
}

/** A handler's or a machine's share. A machine's effects have their own row, `<machine>/effects`. */
export interface HandlerPlan {
  readonly handler: string;
  /** Calls to expect; for effects, as many as these events have caused so far. */
  readonly calls: number;
  /** Events that it has handled successfully before, without those that are stale or overtaken. */
  readonly alreadySucceeded: number;
  /** Stale events that it does not get. */
  readonly stale: number;
  /** Events that it does not get, because it handles a later one of the subject first. */
  readonly overtaken: number;
  /** Calls with events that are older than what it has handled or handles first. */
  readonly older: number;
  /** The first of these; null when there is none. */
  readonly firstOvertaken: string | null;
}

/** Counts what a replay would do, without changes. The store counts, so memory does not grow with the events. */
export async function planReplay(
  { store, registry }: { readonly store: Pick<Replays, 'countReplayEvents'>; readonly registry: Registry },
  request: CallRules,
): Promise<ReplayPlan> {
  const plans = new Map<string, HandlerPlan>();
  const add = (handler: string, more: Omit<HandlerPlan, 'handler'>) => {
    const before = plans.get(handler);
    plans.set(handler, {
      handler,
      calls: (before?.calls ?? 0) + more.calls,
      alreadySucceeded: (before?.alreadySucceeded ?? 0) + more.alreadySucceeded,
      stale: (before?.stale ?? 0) + more.stale,
      overtaken: (before?.overtaken ?? 0) + more.overtaken,
      older: (before?.older ?? 0) + more.older,
      firstOvertaken: before?.firstOvertaken ?? more.firstOvertaken,
    });
  };
  const withEffects = registry.definitions.flatMap((each) =>
    each.type === 'machine' && each.effects.length > 0 && request.handlers.includes(each.name)
      ? [each.name]
      : [],
  );
  // Added first: the rows keep this order.
  for (const handler of request.handlers) {
    add(handler, none);
    if (withEffects.includes(handler)) add(effectsName(handler), none);
  }

  const { groups, subjects, pruned } = await store.countReplayEvents({
    ...selectionFor(registry, request),
    succeeded: request.handlers,
    overtaken: registry.plainHandlers.filter((name) => request.handlers.includes(name)),
    effects: withEffects.map(effectsName),
  });
  const choose = createChooseCalls(registry, request);
  let events = 0;
  let eventsCalled = 0;
  let unrecognized = 0;
  for (const group of groups) {
    const choices = choose(group);
    const called = choices.filter(({ decision }) => decision === 'call').map(({ route }) => route.handler);
    events += group.events;
    if (called.length > 0) eventsCalled += group.events;
    if (!group.recognized && choose({ ...group, recognized: true }).length > choices.length)
      unrecognized += group.events;
    for (const { route, decision, succeededBefore, isOlder } of choices)
      add(route.handler, {
        calls: decision === 'call' ? group.events : 0,
        alreadySucceeded:
          succeededBefore && (decision === 'call' || decision === 'succeeded') ? group.events : 0,
        stale: decision === 'stale' ? group.events : 0,
        overtaken: decision === 'overtaken' ? group.events : 0,
        older: decision === 'call' && isOlder ? group.events : 0,
        firstOvertaken: decision === 'overtaken' ? group.first : null,
      });
    for (const [at, machine] of withEffects.entries()) {
      const { delivered, succeeded } = group.effects[at] ?? { delivered: 0, succeeded: 0 };
      if (called.includes(machine))
        add(effectsName(machine), { ...none, calls: delivered, alreadySucceeded: succeeded });
    }
  }
  return { events, eventsCalled, subjects, pruned, unrecognized, handlers: [...plans.values()] };
}

const none = { calls: 0, alreadySucceeded: 0, stale: 0, overtaken: 0, older: 0, firstOvertaken: null };

export function plannedCalls(plan: ReplayPlan): number {
  return plan.handlers.reduce((sum, { calls }) => sum + calls, 0);
}
