import type { ChangeView } from '../../view/change-view.ts';
import type { Timeline } from '../../operate/subject-timeline.ts';
import type { TimelineEntryView } from '../../view/timeline-view.ts';
import { handlerName } from './delivery-columns.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import { readableTime } from './readable-time.ts';

/** The first line of a timeline. */
export function timelineHeading({ subject, masked }: Pick<Timeline, 'subject' | 'masked'>): string {
  return `${printableLine(subject)}${masked ? ' (personal data masked; --unmask shows it)' : ''}`;
}

/** An event with its deliveries and what it changed. */
export function timelineEntryText(event: TimelineEntryView): string {
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
