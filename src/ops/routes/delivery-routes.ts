/** The routes of deliveries: list, show and retry. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { addDetails } from '../../access/audited-request.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { deliveryDetail } from '../../operate/show/delivery-detail.ts';
import { withCompany } from '../../operate/search/with-company.ts';
import { retryDeliveries } from '../../operate/change/change-deliveries.ts';
import {
  deliveryConditions,
  deliveryFilter,
  includeOvertaken,
  ofCompany,
} from '../../view/parameters/conditions.ts';
import { retryDetails } from '../../view/change-details.ts';
import {
  deliveryDetailSchema,
  deliverySchema,
  deliveryStatusSchema,
  deliveryView,
} from '../../view/delivery-view.ts';
import { retrySchema } from '../../view/operation-views.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { jsonBody, pageParameters, unmaskParameter } from '../parameters.ts';
import { changeErrors, json, listErrors, pageOf, sendPage, showErrors } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get, post } = routesOf('deliveries');
const ID = /^d[1-9]\d{0,15}$/u;
const id = z.object({ id: z.string().describe('`d` and a number.') });

const list = get('/api/deliveries', {
  operationId: 'listDeliveries',
  summary: 'Deliveries to handlers',
  request: {
    query: z.strictObject({
      ...pageParameters(ID),
      status: deliveryStatusSchema.optional(),
      ...deliveryConditions,
      unmask: unmaskParameter,
    }),
  },
  responses: { 200: json(pageOf(deliverySchema).extend(ofCompany), 'A page of deliveries.'), ...listErrors },
});

const show = get('/api/deliveries/{id}', {
  operationId: 'showDelivery',
  summary: 'A delivery with its failed attempts',
  request: { params: id, query: z.strictObject({ unmask: unmaskParameter }) },
  responses: { 200: json(deliveryDetailSchema, 'The delivery.'), ...showErrors },
});

const retry = post('/api/deliveries/retry', {
  operationId: 'retryDeliveries',
  summary: 'Retry dead deliveries',
  description:
    'Selects by `ids`, or all dead deliveries that match the other conditions; at least one is required.',
  request: jsonBody(
    z.strictObject({
      ids: z.array(z.string().regex(ID)).max(10_000).optional().describe('These deliveries.'),
      status: z.literal('dead').optional().describe('Without another condition: all dead deliveries.'),
      ...deliveryConditions,
      ...includeOvertaken,
      dry_run: z.boolean().default(false).describe('Report what would be retried, without changes.'),
    }),
  ),
  responses: { 200: json(retrySchema, 'What was retried, and what was not.'), ...changeErrors },
});

export function addDeliveryRoutes(app: OpenAPIHono, { store, dispatcher, registry, clock }: OpsDeps): void {
  app.openapi(list, async (c) => {
    const { limit, cursor, order, status, unmask, ...given } = c.req.valid('query');
    const asked = { ...deliveryFilter(given), ...(status && { status }) };
    const filter = await withCompany(store, asked);
    return sendPage(
      c,
      { limit, cursor, order },
      (page) => store.deliveries(filter, page),
      (delivery) => deliveryView(delivery, { unmask }),
      { partial: filter.partial },
    );
  });
  app.openapi(show, async (c) => {
    return c.json(await deliveryDetail(store, c.req.valid('param').id, c.req.valid('query')), 200);
  });
  app.openapi(retry, async (c) => {
    const { ids, status, dry_run: dryRun, ...given } = c.req.valid('json');
    const asked = { ...deliveryFilter(given), ...(ids && { ids }), ...(status && { status }) };
    if (Object.keys(asked).length === 0)
      throw new PortariaError(
        'invalid-argument',
        'Select deliveries: send ids, a condition, or status dead for all',
      );
    const filter = await withCompany(store, asked);
    const newestOnly = given.include_overtaken ? [] : registry.newestOnly;
    const retried = await retryDeliveries(store, { filter, clock, newestOnly, dryRun });
    if (!dryRun) addDetails(c, retryDetails(retried, ids));
    dispatcher.wake();
    return c.json(retried, 200);
  });
}
