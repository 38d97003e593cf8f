/** Says what a replay would do, for people and as JSON. */
import { plannedCalls, type HandlerPlan, type ReplayPlan } from '../../../replay/replay-plan.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { createTable, type Column } from '../../output/table.ts';
import type { ReplayRequest } from './replay-request.ts';

const columns: readonly Column<HandlerPlan>[] = [
  { heading: 'handler', shrinks: true, value: (plan) => plan.handler },
  { heading: 'calls', align: 'right', value: (plan) => plan.calls },
  { heading: 'already succeeded', align: 'right', value: (plan) => plan.alreadySucceeded },
  { heading: 'stale, left out', align: 'right', value: (plan) => plan.stale },
];

/** Why events of a kind that is defined now are left out, and what helps. */
export function unrecognizedText(events: number): string {
  return (
    `${countOf(events, 'event')} left out: unrecognized when ${events === 1 ? 'it' : 'they'} came, before the kind was defined. ` +
    'A handler on a wildcard, such as company.*, gets them (docs/contract.md)'
  );
}

/** Formats for people what a replay would do. */
export function planText(plan: ReplayPlan, { target, record }: ReplayRequest, width: number): string {
  const prefix = record === null ? '' : `Rest of ${record.id}: `;
  const pruned = plan.pruned === 0 ? '' : ` (${countOf(plan.pruned, 'pruned event')} left out)`;
  const events = `${prefix}${countOf(plan.events, 'event')} of ${countOf(plan.subjects, 'subject')}${pruned}`;
  if (target !== null) return `${events}, posted to ${target}`;
  const shown = plan.handlers.filter(
    ({ calls, stale, alreadySucceeded }) => calls + stale + alreadySucceeded > 0,
  );
  const calls =
    plan.eventsCalled === plan.events
      ? `${events}, ${countOf(plannedCalls(plan), 'call')}`
      : `${events} match, ${countOf(plannedCalls(plan), 'call')} of ${countOf(plan.eventsCalled, 'event')}`;
  return [
    calls,
    ...(plan.unrecognized === 0 ? [] : [unrecognizedText(plan.unrecognized)]),
    ...(shown.length === 0 ? [] : ['', createTable(columns, width).page(shown)]),
  ].join('\n');
}

/** Formats as JSON what a replay would do. */
export function planJson(plan: ReplayPlan, { target, record }: ReplayRequest): object {
  return {
    replay: record?.id ?? null,
    target,
    events: plan.events,
    events_called: target === null ? plan.eventsCalled : plan.events,
    subjects: plan.subjects,
    pruned: plan.pruned,
    unrecognized: plan.unrecognized,
    calls: target === null ? plannedCalls(plan) : plan.events,
    handlers: plan.handlers.map((each) => ({
      handler: each.handler,
      calls: each.calls,
      already_succeeded: each.alreadySucceeded,
      stale: each.stale,
    })),
  };
}
