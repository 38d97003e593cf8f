/** Routes of holds and erasures. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { addDetails, operatorOf } from '../../access/audited-request.ts';
import type { Access } from '../../access/visitor.ts';
import type { Auditor } from '../../audit/auditor.ts';
import { subjectName } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { endHold, placeHold } from '../../privacy/holds.ts';
import { MAX_IDENTIFIER, MAX_IDENTIFIERS } from '../../privacy/identifier.ts';
import { ERASURE_ID, findErasure } from '../../privacy/ledger.ts';
import type { Erasures } from '../../privacy/serve/erasures.ts';
import {
  erasureRunSchema,
  erasureRunView,
  holdSchema,
  shownHold,
} from '../../view/privacy/erasure-run-view.ts';
import { ledgerSchema, ledgerView } from '../../view/privacy/erasure-view.ts';
import { subjectParameter } from '../../view/parameters/conditions.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { jsonBody } from '../parameters.ts';
import { actorOf } from '../audited-routes.ts';
import { changeErrors, json, listErrors, showErrors } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get, post } = routesOf('privacy');

const reason = z.string().describe('Why. It is stored, so it must not name the person.');
const identifiers = z
  .array(z.string().max(MAX_IDENTIFIER))
  .max(MAX_IDENTIFIERS)
  .describe(
    'What identifies one person: a CPF, CNPJ, e-mail address, phone, or subject such as `user:77`. The audit has their number.',
  );

const holdList = z.object({
  data: z.array(holdSchema).describe('The holds.'),
  next: z.null().describe('The list has one page.'),
});

const listHolds = get('/api/holds', {
  operationId: 'listHolds',
  summary: 'Subjects whose content is neither erased nor pruned',
  responses: { 200: json(holdList, 'The holds.'), ...listErrors },
});

const addHold = post('/api/holds', {
  operationId: 'addHold',
  summary: 'Hold a subject',
  description:
    'Nothing of it is erased or pruned. A hold of `user:77` covers `user-login:77`, and one of `company:12` covers `company-login:12`. A subject that is held already keeps its first reason.',
  request: jsonBody(z.strictObject({ subject: subjectParameter, reason })),
  responses: {
    200: json(
      holdList.extend({
        warning: z
          .string()
          .nullable()
          .describe('That nothing of the subject is stored yet, so that its spelling may be wrong; or null.'),
      }),
      'The holds of the subject.',
    ),
    ...changeErrors,
  },
});

const removeHold = post('/api/holds/remove', {
  operationId: 'removeHold',
  summary: 'End the hold of a subject',
  request: jsonBody(
    z.strictObject({ subject: subjectParameter, reason: z.string().describe('Why, for the audit.') }),
  ),
  responses: {
    200: json(z.object({ removed: z.int().describe('How many holds ended.') }), 'What ended.'),
    ...changeErrors,
  },
});

const planErasure = post('/api/erasures/plans', {
  operationId: 'planErasure',
  summary: 'Plan the erasure of a person',
  description:
    'Searches every row for the person, and changes nothing. Needs the role `unmask`, too. The plan expires after ten minutes.',
  request: jsonBody(z.strictObject({ identifiers })),
  responses: { 200: json(erasureRunSchema, 'The search, or the plan.'), ...changeErrors },
});

const showPlan = get('/api/erasures/plans/{id}', {
  operationId: 'showErasurePlan',
  summary: 'How far the search for a person, or their erasure, is',
  description: 'Only the process that searches knows it. Needs the role `unmask`, too.',
  request: { params: z.object({ id: z.string().describe('The `id` of the plan.') }) },
  responses: { 200: json(erasureRunSchema, 'The search, the plan, or the erasure.'), ...showErrors },
});

const startErasure = post('/api/erasures', {
  operationId: 'startErasure',
  summary: 'Erase a person by a plan',
  description:
    'Needs the identifiers of the plan again, and the role `unmask`, too. The erasure goes on without the request, and cannot be undone.',
  request: jsonBody(
    z.strictObject({ plan: z.string().describe('The `plan` of a plan.'), identifiers, reason }),
  ),
  responses: { 200: json(erasureRunSchema, 'The erasure, finished or under way.'), ...changeErrors },
});

const listErasures = get('/api/erasures', {
  operationId: 'listErasures',
  summary: 'The ledger of erasures, the newest first',
  responses: {
    200: json(
      z.object({
        data: z.array(ledgerSchema).describe('The erasures.'),
        next: z.null().describe('The list has one page.'),
      }),
      'The erasures.',
    ),
    ...listErrors,
  },
});

const showErasure = get('/api/erasures/{id}', {
  operationId: 'showErasure',
  summary: 'An erasure with its receipt',
  request: {
    params: z.object({
      id: z.string().regex(ERASURE_ID).describe('`x` and a number.'),
    }),
  },
  responses: {
    200: json(
      ledgerSchema
        .extend({
          receipt: z
            .unknown()
            .describe('The signed receipt, as `privacy verify` checks it; null without one.'),
        })
        .meta({ id: 'ErasureWithReceipt', description: 'An erasure with its receipt.' }),
      'The erasure.',
    ),
    ...showErrors,
  },
});

export interface PrivacyRoutesDeps extends Pick<OpsDeps, 'store'>, Access {
  readonly auditor: Auditor;
  readonly erasures: Erasures;
}

export function addPrivacyRoutes(app: OpenAPIHono, deps: PrivacyRoutesDeps): void {
  const { store, erasures } = deps;
  app.openapi(listHolds, async (c) =>
    c.json({ data: (await store.holds()).map(shownHold), next: null }, 200),
  );
  app.openapi(addHold, async (c) => {
    const { subject, reason: why } = c.req.valid('json');
    const { names, warning } = await placeHold(store, subject, { reason: why, by: actorOf(c) });
    const held = (await store.holds()).filter((hold) => names.includes(subjectName(hold.subject)));
    return c.json({ data: held.map(shownHold), next: null, warning }, 200);
  });
  app.openapi(removeHold, async (c) => {
    const { subject, reason: why } = c.req.valid('json');
    return c.json({ removed: await endHold(store, subject, why) }, 200);
  });
  app.openapi(planErasure, async (c) => {
    const { run, identified } = await erasures.plan(c.req.valid('json').identifiers);
    addDetails(c, { identifiers: identified });
    return c.json(erasureRunView(run), 200);
  });
  app.openapi(showPlan, (c) => {
    const { id } = c.req.valid('param');
    const run = erasures.run(id);
    if (run === undefined)
      throw new PortariaError('not-found', `This process has no plan ${id}: make it again`);
    return c.json(erasureRunView(run), 200);
  });
  app.openapi(startErasure, async (c) => {
    const operator = operatorOf(c, 'api', deps.signOn);
    const run = await erasures.start({ ...c.req.valid('json'), operator });
    if (run.erasure !== null) addDetails(c, { erasure: run.erasure });
    return c.json(erasureRunView(run), 200);
  });
  app.openapi(listErasures, async (c) => {
    const [ledger, holder] = await Promise.all([store.erasures(), store.erasing()]);
    return c.json({ data: ledger.toReversed().map((one) => ledgerView(one, holder)), next: null }, 200);
  });
  app.openapi(showErasure, async (c) => {
    const { id } = c.req.valid('param');
    const [erasure, holder] = await Promise.all([findErasure(store, id), store.erasing()]);
    const receipt: unknown = erasure.receipt === null ? null : JSON.parse(erasure.receipt);
    return c.json({ ...ledgerView(erasure, holder), receipt }, 200);
  });
}
