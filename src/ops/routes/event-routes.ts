/** The routes of events: list with search, one event, and its body. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { PortariaError } from '../../kernel/errors.ts';
import { contentQuery } from '../../event/content/content-query.ts';
import { eventDetail } from '../../operate/show/event-detail.ts';
import { searchEvents, type EventSearch } from '../../operate/search/search-events.ts';
import { eventConditions, eventFilterOfDelivery } from '../../view/parameters/conditions.ts';
import { eventDetailSchema, eventSchema, eventView } from '../../view/event-view.ts';
import { instantTextOrNull } from '../../view/instant-text.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { bodyQuery, pageParameters, unmaskParameter } from '../parameters.ts';
import {
  json,
  listErrors,
  pageOf,
  sendBytes,
  sendJson,
  sendPage,
  serializeRows,
  showErrors,
  wholeBody,
} from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get } = routesOf('events');
const id = z.object({ id: z.string().describe('The full id, or only its number.') });

/** Texts that may contain commas: one, or the parameter repeated. */
const textsParameter = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(z.string()),
);

/** Milliseconds after which a search responds with what it has found. */
const SEARCH_MS = 1_000;

const query = z.strictObject({
  ...pageParameters(/^(?:[0-9a-z]+-)?\d+$/u),
  ...eventConditions,
  where: textsParameter
    .optional()
    .describe('Conditions on the payload, such as `data.company.tax_id = 12345678000190`; all must hold.'),
  contains: textsParameter
    .optional()
    .describe('A text in some value of the payload; several must all be there.'),
  unmask: unmaskParameter.describe('Search personal data, too. Otherwise only what shows while masked.'),
});

const searchedSchema = z
  .object({
    events: z.int().min(0).describe('The number of events that were scanned for this page.'),
    back_to: z.iso.datetime().nullable().describe('When the last of them was received; null without any.'),
    end: z
      .enum(['full', 'whole', 'time', 'too-old'])
      .describe(
        'Why the search ended: the page is full, the log is whole, time was up, or events are older than `since`.',
      ),
  })
  .meta({ id: 'Searched', description: 'How far a search has come.' });

const eventPage = pageOf(eventSchema).extend({ searched: searchedSchema.optional() });

const list = get('/api/events', {
  operationId: 'listEvents',
  summary: 'Events of the log',
  description:
    'A page may be shorter than `limit`, even empty, and have a `next`: a search ends after a second. ' +
    '`searched` says how far it came. `where` and `contains` need the order `newest`.',
  request: { query },
  responses: {
    200: json(eventPage, 'A page of events.'),
    ...listErrors,
  },
});

const show = get('/api/events/{id}', {
  operationId: 'showEvent',
  summary: 'An event with its payload and deliveries',
  request: { params: id, query: z.strictObject({ unmask: unmaskParameter }) },
  responses: { 200: json(eventDetailSchema, 'The event.'), ...showErrors },
});

const body = get('/api/events/{id}/body', {
  operationId: 'showEventBody',
  summary: 'The body as received, byte for byte',
  request: { params: id, query: bodyQuery },
  responses: { 200: wholeBody, ...showErrors },
});

export function addEventRoutes(app: OpenAPIHono, { store, clock, registry: { contract } }: OpsDeps): void {
  app.openapi(list, async (c) => {
    const { limit, cursor, order, where = [], contains = [], unmask, ...conditions } = c.req.valid('query');
    const filter = eventFilterOfDelivery(conditions);
    const content = contentQuery(where, contains);
    if (order === 'oldest') {
      if (content !== null)
        throw new PortariaError('invalid-argument', 'where and contains need order=newest');
      return sendPage(c, { limit, cursor, order }, (page) => store.events(filter, page), eventView);
    }
    const search: EventSearch = {
      ...{ filter, content, limit, unmask, contract, withinMs: SEARCH_MS, signal: c.req.raw.signal },
      ...(cursor !== undefined && { after: cursor }),
    };
    const { events, next, scanned, cursorAt, end } = await searchEvents(store, clock, search);
    const searched = { events: scanned, back_to: instantTextOrNull(cursorAt), end };
    const rows = await serializeRows(events, eventView);
    return sendJson<z.input<typeof eventPage>>(c, [
      '{"data":[',
      ...rows,
      `],"next":${JSON.stringify(next)},"searched":${JSON.stringify(searched)}}`,
    ]);
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
