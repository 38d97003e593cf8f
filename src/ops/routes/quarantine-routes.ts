/** The routes of the quarantine: list, show, release and discard. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { PortariaError } from '../../kernel/errors.ts';
import { discardQuarantine } from '../../operate/change/discard-quarantine.ts';
import { quarantineEntry } from '../../operate/show/quarantine-entry.ts';
import { releaseQuarantine } from '../../operate/change/release-quarantine.ts';
import { entryConditions, entryFilter, includeOvertaken } from '../../view/parameters/conditions.ts';
import {
  quarantineDetailSchema,
  quarantineDetailView,
  quarantineSchema,
  quarantineStatusSchema,
  quarantineView,
} from '../../view/quarantine-view.ts';
import { entryDiscardSchema, releaseSchema } from '../../view/operation-views.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { addDetails } from '../../access/audited-request.ts';
import { entryDiscardDetails, releaseDetails } from '../../view/change-details.ts';
import { bodyQuery, jsonBody, pageParameters, unmaskParameter } from '../parameters.ts';
import {
  changeErrors,
  json,
  listErrors,
  pageOf,
  sendBytes,
  sendPage,
  showErrors,
  wholeBody,
} from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get, post } = routesOf('quarantine');
const ID = /^q[1-9]\d{0,15}$/u;
const id = z.object({ id: z.string().describe('`q` and a number.') });

const list = get('/api/quarantine', {
  operationId: 'listQuarantine',
  summary: 'Verified deliveries that did not become events',
  request: {
    query: z.strictObject({
      ...pageParameters(ID),
      status: quarantineStatusSchema.optional(),
      ...entryConditions,
    }),
  },
  responses: { 200: json(pageOf(quarantineSchema), 'A page of entries.'), ...listErrors },
});

const show = get('/api/quarantine/{id}', {
  operationId: 'showQuarantineEntry',
  summary: 'A quarantine entry with its body',
  request: { params: id, query: z.strictObject({ unmask: unmaskParameter }) },
  responses: { 200: json(quarantineDetailSchema, 'The entry.'), ...showErrors },
});

const body = get('/api/quarantine/{id}/body', {
  operationId: 'showQuarantineBody',
  summary: 'The body as received, byte for byte',
  request: { params: id, query: bodyQuery },
  responses: { 200: wholeBody, ...showErrors },
});

const release = post('/api/quarantine/release', {
  operationId: 'releaseQuarantine',
  summary: 'Release entries that match the contract now',
  description:
    'Selects by `ids`, or all held entries that match the other conditions; `{}` selects all held entries.',
  request: jsonBody(
    z.strictObject({
      ids: z.array(z.string().regex(ID)).max(10_000).optional().describe('These entries.'),
      ...entryConditions,
      force: z
        .boolean()
        .default(false)
        .describe('Release entries that still do not match, as unrecognized events; needs a condition.'),
      ...includeOvertaken,
      dry_run: z.boolean().default(false).describe('Report what would be released, without changes.'),
    }),
  ),
  responses: {
    200: json(
      z.object({ data: z.array(releaseSchema).describe('The entries.') }),
      'The result for each entry, in arrival order.',
    ),
    ...changeErrors,
  },
});

const { reason: quarantinedFor, ...conditions } = entryConditions;

const discard = post('/api/quarantine/discard', {
  operationId: 'discardQuarantine',
  summary: 'Remove held entries with their bytes',
  description:
    'Selects by `ids`, or all held entries that match the other conditions; at least one is required. ' +
    'The same bytes are held again when they come again. This cannot be undone.',
  request: jsonBody(
    z.strictObject({
      ids: z.array(z.string().regex(ID)).max(10_000).optional().describe('These entries.'),
      quarantined_for: quarantinedFor,
      ...conditions,
      reason: z
        .string()
        .max(500)
        .default('')
        .describe('Why; not empty, except in a dry run. Stored in the audit; no personal data.'),
      dry_run: z.boolean().default(false).describe('Report what would be discarded, without changes.'),
    }),
  ),
  responses: {
    200: json(entryDiscardSchema, 'What was discarded, and what was not.'),
    ...changeErrors,
  },
});

export function addQuarantineRoutes(app: OpenAPIHono, deps: OpsDeps): void {
  const { store, dispatcher, registry, clock } = deps;
  const { contract } = registry;
  app.openapi(list, async (c) => {
    const { limit, cursor, order, status, ...given } = c.req.valid('query');
    const filter = { ...entryFilter(given), ...(status && { status }) };
    return sendPage(c, { limit, cursor, order }, (page) => store.quarantined(filter, page), quarantineView);
  });
  app.openapi(show, async (c) =>
    c.json(
      quarantineDetailView(await quarantineEntry(store, c.req.valid('param').id), {
        ...c.req.valid('query'),
        contract,
      }),
      200,
    ),
  );
  app.openapi(body, async (c) => sendBytes(c, (await quarantineEntry(store, c.req.valid('param').id)).body));
  app.openapi(release, async (c) => {
    const { ids, dry_run: dryRun, force, ...given } = c.req.valid('json');
    const filter = { ...entryFilter(given), ...(ids && { ids }) };
    if (force && Object.keys(filter).length === 0)
      throw new PortariaError('invalid-argument', 'force needs ids or another condition');
    const how = { dryRun, force, includeOvertaken: given.include_overtaken };
    const data = [...(await releaseQuarantine(deps, { filter, ...how }))];
    if (!dryRun) addDetails(c, releaseDetails(data, ids));
    dispatcher.wake();
    return c.json({ data }, 200);
  });
  app.openapi(discard, async (c) => {
    const { ids, quarantined_for: why, reason, dry_run: dryRun, ...given } = c.req.valid('json');
    const filter = { ...entryFilter({ ...given, reason: why }), ...(ids && { ids }) };
    const result = await discardQuarantine(store, { filter, reason, clock, dryRun });
    if (!dryRun) addDetails(c, entryDiscardDetails(result, ids));
    return c.json(result, 200);
  });
}
