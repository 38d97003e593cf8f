import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { PortariaError } from '../../kernel/errors.ts';
import { eventDetail } from '../../operate/event-detail.ts';
import type { EventFilter } from '../../store/queries.ts';
import { deliveryStatusSchema } from '../../view/delivery-view.ts';
import {
  eventDetailSchema,
  eventFlagSchema,
  eventSchema,
  eventView,
  verdictSchema,
} from '../../view/event-view.ts';
import { instantTextOrNull } from '../../view/instant-text.ts';
import type { OpsDeps } from '../probes.ts';
import {
  bodyQuery,
  instantParameter,
  listParameter,
  pageParameters,
  subjectParameter,
  unmaskParameter,
} from '../parameters.ts';
import { json, listErrors, pageOf, sendBytes, sendPage, showErrors, wholeBody } from '../responses.ts';

const tags = ['events'];
const id = z.object({ id: z.string().describe('The full id, or only its number.') });

const query = z.strictObject({
  ...pageParameters(/^(?:[0-9a-z]+-)?\d+$/u),
  kind: listParameter.optional().describe('Kinds or wildcards such as `company.*`, any of them.'),
  subject: subjectParameter.optional(),
  source: z.string().optional().describe('Events from this source.'),
  verdict: verdictSchema.optional(),
  flag: eventFlagSchema.optional(),
  since: instantParameter
    .optional()
    .describe('Received at or after this instant; UTC unless it has an offset.'),
  until: instantParameter.optional().describe('Received before this instant; UTC unless it has an offset.'),
  status: deliveryStatusSchema.optional(),
});

const list = createRoute({
  method: 'get',
  path: '/api/events',
  operationId: 'listEvents',
  summary: 'Events of the log',
  tags,
  request: { query },
  responses: { 200: json(pageOf(eventSchema), 'A page of events.'), ...listErrors },
});

const show = createRoute({
  method: 'get',
  path: '/api/events/{id}',
  operationId: 'showEvent',
  summary: 'An event with its payload and deliveries',
  tags,
  request: { params: id, query: z.strictObject({ unmask: unmaskParameter }) },
  responses: { 200: json(eventDetailSchema, 'The event.'), ...showErrors },
});

const body = createRoute({
  method: 'get',
  path: '/api/events/{id}/body',
  operationId: 'showEventBody',
  summary: 'The body as received, byte for byte',
  tags,
  request: { params: id, query: bodyQuery },
  responses: { 200: wholeBody, ...showErrors },
});

export function addEventRoutes(app: OpenAPIHono, { store, registry: { contract } }: OpsDeps): void {
  app.openapi(list, async (c) => {
    const { limit, cursor, order, ...conditions } = c.req.valid('query');
    const filter = eventFilter(conditions);
    return sendPage(c, { limit, cursor, order }, (page) => store.events(filter, page), eventView);
  });
  app.openapi(show, async (c) =>
    c.json(await eventDetail(store, c.req.valid('param').id, { ...c.req.valid('query'), contract }), 200),
  );
  app.openapi(body, async (c) => {
    const event = await store.event(c.req.valid('param').id);
    if (event === null) throw new PortariaError('not-found', `There is no event ${c.req.valid('param').id}`);
    if (event.body === null)
      throw new PortariaError(
        'not-found',
        `The body of ${event.id} was pruned on ${instantTextOrNull(event.prunedAt) ?? 'an unknown day'}`,
      );
    return sendBytes(c, event.body);
  });
}

function eventFilter(given: Omit<z.output<typeof query>, 'limit' | 'cursor' | 'order'>): EventFilter {
  const { kind, subject, source, verdict, flag, since, until, status } = given;
  return {
    ...(kind && { kinds: kind }),
    ...(subject && { subject }),
    ...(source !== undefined && { source }),
    ...(verdict && { verdict }),
    ...(flag && { flag }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(status && { status }),
  };
}
