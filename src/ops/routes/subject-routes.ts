/** The routes of one subject: its events, deliveries and states. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { subjectTimeline } from '../../operate/show/subject-timeline.ts';
import { subjectTimelineSchema, type SubjectTimelineView } from '../../view/timeline-view.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { subjectParameter } from '../../view/parameters/conditions.ts';
import { pageParameters, unmaskParameter } from '../parameters.ts';
import { json, sendJson, showErrors } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const EVENT_ID = /^(?:[0-9a-z]+-)?\d+$/u;
/** Characters of a response, at most; the rest is on the next page. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

const show = routesOf('subjects').get('/api/subjects/{subject}', {
  operationId: 'showSubject',
  summary: 'A subject’s timeline',
  description:
    'Its events in pages, the oldest first by default, with their deliveries and the changes from one to the ' +
    'next.',
  request: {
    params: z.object({ subject: subjectParameter }),
    query: z.strictObject({
      ...pageParameters(EVENT_ID),
      limit: z.coerce.number().int().min(1).max(1000).default(500).describe('At most so many events.'),
      order: z.enum(['newest', 'oldest']).default('oldest').describe('Which events come first.'),
      source: z.string().optional().describe('Only events from this source.'),
      unmask: unmaskParameter,
    }),
  },
  responses: { 200: json(subjectTimelineSchema, 'The timeline.'), ...showErrors },
});

export function addSubjectRoutes(app: OpenAPIHono, { store, registry: { contract } }: OpsDeps): void {
  app.openapi(show, async (c) => {
    const { source, unmask, limit, cursor, order } = c.req.valid('query');
    const timeline = await subjectTimeline(store, {
      subject: c.req.valid('param').subject,
      unmask,
      contract,
      order,
      ...(source !== undefined && { source }),
      ...(cursor !== undefined && { after: cursor }),
    });
    const { subject, masked, total } = timeline;
    const pieces: string[] = [];
    let characters = 0;
    let next: string | null = null;
    for await (const { entry, left } of timeline.entries()) {
      const piece = JSON.stringify(entry);
      pieces.push(`${pieces.length === 0 ? '' : ','}${piece}`);
      characters += piece.length;
      if (pieces.length < limit && characters < MAX_CHARACTERS) continue;
      next = left > 0 ? entry.id : null;
      break;
    }
    const head = JSON.stringify({ subject, masked, total });
    return sendJson<SubjectTimelineView>(c, [
      `${head.slice(0, -1)},"events":[`,
      ...pieces,
      `],"next":${JSON.stringify(next)}}`,
    ]);
  });
}
