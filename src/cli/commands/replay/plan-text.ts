import { plannedCalls, type HandlerPlan, type ReplayPlan } from '../../../replay/replay-plan.ts';
import { createTable, type Column } from '../../output/table.ts';
import type { ReplayRequest } from './replay-request.ts';

const columns: readonly Column<HandlerPlan>[] = [
  { heading: 'handler', shrinks: true, value: (plan) => plan.handler },
  { heading: 'calls', align: 'right', value: (plan) => plan.calls },
  { heading: 'already succeeded', align: 'right', value: (plan) => plan.alreadySucceeded },
  { heading: 'stale, left out', align: 'right', value: (plan) => plan.stale },
];

/** What a replay would do, for people. */
export function planText(plan: ReplayPlan, { target, record }: ReplayRequest, width: number): string {
  const rest = record === null ? '' : `${record.id} goes on: `;
  const events = `${rest}${count(plan.events, 'event')} of ${count(plan.subjects, 'subject')}`;
  if (target !== null) return `${events}, posted to ${target}`;
  const shown = plan.handlers.filter(
    ({ calls, stale, alreadySucceeded }) => calls + stale + alreadySucceeded > 0,
  );
  const calls =
    plan.eventsCalled === plan.events
      ? `${events}, ${count(plannedCalls(plan), 'call')}`
      : `${events} match, ${count(plannedCalls(plan), 'call')} of ${count(plan.eventsCalled, 'event')}`;
  return shown.length === 0 ? calls : `${calls}\n\n${createTable(columns, width).page(shown)}`;
}

/** The same for machines. */
export function planJson(plan: ReplayPlan, { target, record }: ReplayRequest): object {
  return {
    replay: record?.id ?? null,
    target,
    events: plan.events,
    events_called: target === null ? plan.eventsCalled : plan.events,
    subjects: plan.subjects,
    calls: target === null ? plannedCalls(plan) : plan.events,
    handlers: plan.handlers.map((each) => ({
      handler: each.handler,
      calls: each.calls,
      already_succeeded: each.alreadySucceeded,
      stale: each.stale,
    })),
  };
}

export function count(number: number, what: string): string {
  return `${String(number)} ${what}${number === 1 ? '' : 's'}`;
}
