/** The routes that pause and resume handlers, sources and lanes. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { PortariaError } from '../../kernel/errors.ts';
import { pauseDispatch, resumeDispatch } from '../../operate/change/pause-dispatch.ts';
import { pauseSchema, pauseView } from '../../view/pause-view.ts';
import { instantParameter, subjectParameter } from '../../view/parameters/conditions.ts';
import { jsonBody, pageParameters } from '../parameters.ts';
import { addDetails } from '../../access/audited-request.ts';
import { pauseDetails, resumeDetails } from '../../view/change-details.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { actorOf } from '../audited-routes.ts';
import { changeErrors, json, listErrors, pageOf, sendPage } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get, post } = routesOf('pauses');
const ID = /^p[1-9]\d{0,15}$/u;
const { limit, cursor } = pageParameters(ID);
const numberOf = (id: string): number => Number(id.slice(1));

const scope = {
  handler: z
    .string()
    .min(1)
    .optional()
    .describe('A handler or machine; a machine is paused with its effects.'),
  source: z.string().min(1).optional().describe('Events from this source.'),
  subject: subjectParameter.optional(),
};

const pauses = z.object({
  data: z.array(pauseSchema).describe('The pauses.'),
  next: z.null().describe('The list has one page.'),
});

const list = get('/api/pauses', {
  operationId: 'listPauses',
  summary: 'Handlers, sources and lanes that operators have paused',
  request: { query: z.strictObject({ limit, cursor }) },
  responses: { 200: json(pageOf(pauseSchema), 'A page of the pauses, the oldest first.'), ...listErrors },
});

const pause = post('/api/pauses', {
  operationId: 'pauseDispatch',
  summary: 'Pause a handler, a source, or the lane of a handler and a subject',
  description:
    'What runs finishes; nothing else in the scope starts. Webhooks are accepted as ever, and their deliveries wait in order.',
  request: jsonBody(
    z.strictObject({
      ...scope,
      reason: z.string().describe('Why; shown wherever events wait.'),
      until: instantParameter.optional().describe('When it ends by itself; without it, an operator ends it.'),
    }),
  ),
  responses: { 200: json(pauseSchema, 'The pause.'), ...changeErrors },
});

const resume = post('/api/pauses/resume', {
  operationId: 'resumeDispatch',
  summary: 'End pauses',
  description: 'Selects by `ids`, or the pause of exactly this scope. Its lanes continue at once, in order.',
  request: jsonBody(
    z.strictObject({
      ...scope,
      ids: z.array(z.string().regex(ID)).max(1_000).optional().describe('These pauses.'),
    }),
  ),
  responses: { 200: json(pauses, 'The pauses that were ended.'), ...changeErrors },
});

export function addPauseRoutes(app: OpenAPIHono, { store, registry, dispatcher, clock }: OpsDeps): void {
  const wake = (): void => {
    dispatcher.wake();
  };
  app.openapi(list, async (c) => {
    const all = await store.pauses();
    const after = (last = 'p0') => all.filter(({ id }) => numberOf(id) > numberOf(last));
    const page = { ...c.req.valid('query'), order: 'oldest' } as const;
    return sendPage(c, page, async (next) => after(next.after).slice(0, next.limit), pauseView);
  });
  app.openapi(pause, async (c) => {
    const { reason, until = null, ...given } = c.req.valid('json');
    const request = { scope: scopeOf(given), reason, by: actorOf(c), until, registry, clock, wake };
    const paused = await pauseDispatch(store, request);
    addDetails(c, pauseDetails(paused));
    return c.json(paused, 200);
  });
  app.openapi(resume, async (c) => {
    const { ids, ...given } = c.req.valid('json');
    const wanted = scopeOf(given);
    const isScoped = Object.values(wanted).some((part) => part !== null);
    if (isScoped === (ids !== undefined))
      throw new PortariaError(
        'invalid-argument',
        'Send either ids or a scope: a handler, a source, a subject',
      );
    const resumed = await resumeDispatch(store, ids === undefined ? { scope: wanted } : { ids }, wake);
    addDetails(c, resumeDetails(resumed));
    return c.json({ data: [...resumed], next: null }, 200);
  });
}

function scopeOf({ handler, source, subject }: Partial<z.output<z.ZodObject<typeof scope>>>) {
  return { handler: handler ?? null, source: source ?? null, subject: subject ?? null };
}
