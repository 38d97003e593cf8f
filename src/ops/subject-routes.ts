import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { subjectTimeline } from '../operate/subject-timeline.ts';
import { subjectTimelineSchema } from '../view/subject-timeline-view.ts';
import type { OpsParts } from './ops-parts.ts';
import { subjectParameter, unmaskParameter } from './parameters.ts';
import { json, showFailures } from './responses.ts';

const show = createRoute({
  method: 'get',
  path: '/api/subjects/{subject}',
  operationId: 'showSubject',
  summary: 'A subject’s timeline',
  description: 'Every event in arrival order, what became of it, and what changed from one to the next.',
  tags: ['subjects'],
  request: {
    params: z.object({ subject: subjectParameter }),
    query: z.strictObject({
      source: z.string().optional().describe('Only what this source sent.'),
      unmask: unmaskParameter,
    }),
  },
  responses: { 200: json(subjectTimelineSchema, 'The timeline.'), ...showFailures },
});

export function addSubjectRoutes(app: OpenAPIHono, { store }: OpsParts): void {
  app.openapi(show, async (c) => {
    const { source, unmask } = c.req.valid('query');
    const { subject } = c.req.valid('param');
    const request = { subject, unmask, ...(source !== undefined && { source }) };
    return c.json(await subjectTimeline(store, request), 200);
  });
}
