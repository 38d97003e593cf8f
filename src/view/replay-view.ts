/** Replays and their filters, as command line, API and console show them. */
import { z } from 'zod';
import { subjectName } from '../event/subject.ts';
import type { EventFilter } from '../store/queries.ts';
import type { ReplayProgress, ReplayRecord } from '../store/replays.ts';
import { deliveryStatusSchema } from './delivery-view.ts';
import { verdictSchema } from './event-view.ts';
import { instantText } from './instant-text.ts';
import { deliveryCounts } from './statistics-view.ts';

export const eventFilterSchema = z
  .object({
    ids: z.array(z.string()).optional().describe('Events with these ids.'),
    kinds: z.array(z.string()).optional().describe('Kinds or wildcards, any of them.'),
    subject: z.string().optional().describe('Events of this subject, `family:id`.'),
    source: z.string().optional().describe('Events from this source.'),
    verdict: verdictSchema.optional(),
    flag: z.string().optional().describe('Events with this flag.'),
    since: z.iso.datetime().optional().describe('Events received at or after.'),
    until: z.iso.datetime().optional().describe('Events received before.'),
    up_to: z.string().optional().describe('Events stored no later than this one.'),
    status: deliveryStatusSchema.optional(),
  })
  .meta({ id: 'EventFilter', description: 'Conditions on events; all must hold.' });

export type EventFilterView = z.infer<typeof eventFilterSchema>;

export const replaySchema = z
  .object({
    id: z.string().describe('`r` and a number.'),
    status: z
      .enum(['unfinished', 'waiting', 'finished'])
      .describe(
        '`unfinished` until every event is enqueued or sent, whether or not a process is at it; ' +
          '`waiting` while enqueued deliveries have not ended.',
      ),
    created_at: z.iso.datetime().describe('When it was requested.'),
    filter: eventFilterSchema,
    handlers: z.array(z.string()).describe('The handlers that run again.'),
    if_not_succeeded: z
      .boolean()
      .describe('Whether it skips events that a handler has handled successfully.'),
    target: z.string().nullable().describe('The URL that the events are sent to instead of handlers.'),
    cursor: z.string().nullable().describe('The last event that was planned or sent.'),
    events_left: z
      .int()
      .min(0)
      .describe('Events that it has yet to enqueue or send, some of them perhaps without a call.'),
    progress: z
      .object(deliveryCounts)
      .describe('Its deliveries by status. For a replay to a URL: the events delivered and failed.'),
  })
  .meta({ id: 'Replay', description: 'Events that are delivered again.' });

export type ReplayView = z.infer<typeof replaySchema>;

/** @param eventsLeft the events that the replay has yet to enqueue or send */
export function replayView(replay: ReplayRecord, progress: ReplayProgress, eventsLeft: number): ReplayView {
  const { pending, running, succeeded, dead, skipped } = progress;
  const ended = pending + running === 0 ? 'finished' : 'waiting';
  return {
    id: replay.id,
    status: replay.status === 'finished' ? ended : 'unfinished',
    created_at: instantText(replay.createdAt),
    filter: eventFilterView(replay.filter),
    handlers: [...replay.handlers],
    if_not_succeeded: replay.ifNotSucceeded,
    target: replay.target,
    cursor: replay.cursor,
    events_left: eventsLeft,
    progress: { pending, running, succeeded, dead, skipped },
  };
}

function eventFilterView(filter: EventFilter): EventFilterView {
  return {
    ...(filter.ids && { ids: [...filter.ids] }),
    ...(filter.kinds && { kinds: [...filter.kinds] }),
    ...(filter.subject && { subject: subjectName(filter.subject) }),
    ...(filter.source !== undefined && { source: filter.source }),
    ...(filter.verdict && { verdict: filter.verdict }),
    ...(filter.flag !== undefined && { flag: filter.flag }),
    ...(filter.since !== undefined && { since: instantText(filter.since) }),
    ...(filter.until !== undefined && { until: instantText(filter.until) }),
    ...(filter.upTo !== undefined && { up_to: filter.upTo }),
    ...(filter.status && { status: filter.status }),
  };
}
