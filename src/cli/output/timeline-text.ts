import type { ChangeView } from '../../view/change-view.ts';
import type { SubjectTimelineView } from '../../view/subject-timeline-view.ts';
import { handlerName } from './delivery-columns.ts';
import { printableLine } from '../../kernel/printable.ts';
import { readableTime } from './readable-time.ts';

/** A subject's events in arrival order, each with its deliveries and what it changed. */
export function timelineText({ subject, masked, events }: SubjectTimelineView): string {
  const heading = `${printableLine(subject)}${masked ? ' (personal data masked; --unmask shows it)' : ''}`;
  return [heading, ...events.map(entryText)].join('\n\n');
}

function entryText(event: SubjectTimelineView['events'][number]): string {
  const marks = [
    ...event.flags,
    ...(event.repeats > 0 ? [`repeated ${String(event.repeats)} times`] : []),
    ...(event.source === 'default' ? [] : [`from ${event.source}`]),
  ];
  const about = marks.length > 0 ? ` (${marks.join(', ')})` : '';
  const head = `${readableTime(event.received_at)}  ${event.id}  ${event.kind}  ${event.verdict}${about}`;
  const deliveries = event.deliveries.map((delivery) => {
    const reason = delivery.last_error === null ? '' : `: ${delivery.last_error}`;
    const replay = delivery.replay === null ? '' : `, replay ${delivery.replay}`;
    return `  ${handlerName(delivery)}  ${delivery.status} after ${tries(delivery.attempts)}${replay}${reason}`;
  });
  const since = event.compared_with === null ? [] : [`  since ${event.compared_with}:`];
  const changes =
    event.changes.length > 0
      ? [...since, ...event.changes.map((change) => `    ${changeText(change)}`)]
      : since.map((line) => `${line} nothing changed`);
  return [head, ...deliveries, ...changes].map(printableLine).join('\n');
}

function tries(count: number): string {
  return count === 1 ? '1 try' : `${String(count)} tries`;
}

function changeText({ path, from, to }: ChangeView): string {
  if (from === undefined) return `${path}: ${JSON.stringify(to)} (was not there)`;
  if (to === undefined) return `${path}: gone (was ${JSON.stringify(from)})`;
  return `${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}
