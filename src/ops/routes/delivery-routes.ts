import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { PortariaError } from '../../kernel/errors.ts';
import { deliveryDetail } from '../../operate/delivery-detail.ts';
import { retryDeliveries } from '../../operate/retry-deliveries.ts';
import type { DeliveryFilter } from '../../store/queries.ts';
import {
  deliveryDetailSchema,
  deliverySchema,
  deliveryStatusSchema,
  deliveryView,
} from '../../view/delivery-view.ts';
import { retrySchema } from '../../view/operation-views.ts';
import type { OpsDeps } from '../probes.ts';
import { jsonBody, pageParameters, subjectParameter, unmaskParameter } from '../parameters.ts';
import { changeErrors, json, listErrors, pageOf, sendPage, showErrors } from '../responses.ts';

const tags = ['deliveries'];
const ID = /^d[1-9]\d{0,15}$/u;
const id = z.object({ id: z.string().describe('`d` and a number.') });

const conditions = {
  handler: z.string().optional().describe('The handler, the machine, or `<machine>/effects`.'),
  event_id: z.string().optional().describe('Deliveries of this event.'),
  subject: subjectParameter.optional(),
  source: z.string().optional().describe('Deliveries of events from this source.'),
  replay: z.string().optional().describe('Deliveries of this replay.'),
  error: z.string().optional().describe('Dead or unfinished, with this kind of error: its fingerprint.'),
};

const list = createRoute({
  method: 'get',
  path: '/api/deliveries',
  operationId: 'listDeliveries',
  summary: 'Deliveries to handlers',
  tags,
  request: {
    query: z.strictObject({
      ...pageParameters(ID),
      status: deliveryStatusSchema.optional(),
      ...conditions,
      unmask: unmaskParameter,
    }),
  },
  responses: { 200: json(pageOf(deliverySchema), 'A page of deliveries.'), ...listErrors },
});

const show = createRoute({
  method: 'get',
  path: '/api/deliveries/{id}',
  operationId: 'showDelivery',
  summary: 'A delivery with its failed attempts',
  tags,
  request: { params: id, query: z.strictObject({ unmask: unmaskParameter }) },
  responses: { 200: json(deliveryDetailSchema, 'The delivery.'), ...showErrors },
});

const retry = createRoute({
  method: 'post',
  path: '/api/deliveries/retry',
  operationId: 'retryDeliveries',
  summary: 'Retry dead deliveries',
  description:
    'Selects by `ids`, or all dead deliveries that match the other conditions; at least one is required.',
  tags,
  request: jsonBody(
    z.strictObject({
      ids: z.array(z.string().regex(ID)).max(10_000).optional().describe('These deliveries.'),
      status: z.literal('dead').optional().describe('Without another condition: all dead deliveries.'),
      ...conditions,
      dry_run: z.boolean().default(false).describe('Report what would be retried, without changes.'),
    }),
  ),
  responses: { 200: json(retrySchema, 'What was retried, and what was left alone.'), ...changeErrors },
});

export function addDeliveryRoutes(app: OpenAPIHono, { store, dispatcher, clock }: OpsDeps): void {
  app.openapi(list, async (c) => {
    const { limit, cursor, order, status, unmask, ...given } = c.req.valid('query');
    const filter = { ...deliveryFilter(given), ...(status && { status }) };
    return sendPage(
      c,
      { limit, cursor, order },
      (page) => store.deliveries(filter, page),
      (delivery) => deliveryView(delivery, { unmask }),
    );
  });
  app.openapi(show, async (c) => {
    return c.json(await deliveryDetail(store, c.req.valid('param').id, c.req.valid('query')), 200);
  });
  app.openapi(retry, async (c) => {
    const { ids, status, dry_run: dryRun, ...given } = c.req.valid('json');
    const filter = { ...deliveryFilter(given), ...(ids && { ids }), ...(status && { status }) };
    if (Object.keys(filter).length === 0)
      throw new PortariaError(
        'invalid-argument',
        'Select deliveries: send ids, a condition, or status dead for all',
      );
    const retried = await retryDeliveries(store, { filter, clock, dryRun });
    dispatcher.wake();
    return c.json(retried, 200);
  });
}

function deliveryFilter(given: z.output<z.ZodObject<typeof conditions>>): DeliveryFilter {
  const { handler, event_id: eventId, subject, source, replay, error } = given;
  return {
    ...(handler !== undefined && { handler }),
    ...(eventId !== undefined && { eventId }),
    ...(subject && { subject }),
    ...(source !== undefined && { source }),
    ...(replay !== undefined && { replay }),
    ...(error !== undefined && { error }),
  };
}
