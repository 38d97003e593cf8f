/** The routes of plans and jobs. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { cancelJob, resumeJob } from '../../jobs/change-job.ts';
import { jobItems } from '../../jobs/job-items.ts';
import { listJobs, showJob } from '../../jobs/list-jobs.ts';
import { makePlan } from '../../jobs/make-plan.ts';
import { planRequestOf, planRequestSchema } from '../../jobs/plan-request.ts';
import { planSchema, planView } from '../../view/plan-view.ts';
import { startPlan } from '../../jobs/start-plan.ts';
import { readPage } from '../../kernel/row-pages.ts';
import { itemResultSchema, jobItemSchema } from '../../view/job-item-view.ts';
import { jobDetails, jobDetailSchema, jobSchema, jobView } from '../../view/job-view.ts';
import { addDetails } from '../../access/audited-request.ts';
import { jsonBody, pageParameters } from '../parameters.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { actorOf } from '../audited-routes.ts';
import { changeErrors, json, listErrors, pageOf, showErrors } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get, post } = routesOf('jobs');
const ID = /^j[1-9]\d{0,15}$/u;
const request = { params: z.object({ id: z.string().regex(ID).describe('`j` and a number.') }) };

const plan = post('/api/plans', {
  operationId: 'makePlan',
  summary: 'Plan a retry, discard, release or replay of many items',
  description: 'Counts what would change, and changes nothing. The plan expires after ten minutes.',
  request: jsonBody(planRequestSchema),
  responses: { 200: json(planSchema, 'The plan.'), ...changeErrors },
});

const startSchema = z
  .object({
    job: jobSchema.nullable().describe('The job; null when more matches by now and nothing was started.'),
    gone: z.int().min(0).describe('Planned items that have changed since, on which it does not act.'),
    more: z.int().min(0).describe('Items that match by now and were not planned.'),
    plan: planSchema.nullable().describe('The plan of now, to be started instead.'),
  })
  .meta({ id: 'StartedPlan', description: 'What became of a plan.' });

const start = post('/api/jobs', {
  operationId: 'startPlan',
  summary: 'Start a plan',
  description: 'When more matches than was planned, nothing starts: the response has the plan of now.',
  request: jsonBody(
    z.strictObject({
      plan: z.string().describe('The `plan` of a plan.'),
      staged: z.boolean().default(true).describe('Begin with 1, 10 and 100 items, and wait for results.'),
      rate: z.number().positive().max(100_000).nullable().default(null).describe('Items in a second.'),
      stop_at: z
        .number()
        .min(0)
        .max(1)
        .nullable()
        .default(0.2)
        .describe('The share of failures of a stage above which it stops; null never.'),
    }),
  ),
  responses: { 200: json(startSchema, 'The job, or the plan of now.'), ...changeErrors },
});

const page = pageParameters(ID);

const list = get('/api/jobs', {
  operationId: 'listJobs',
  summary: 'Jobs with their progress, the newest first',
  request: {
    query: z.strictObject({
      limit: page.limit,
      cursor: page.cursor,
    }),
  },
  responses: { 200: json(pageOf(jobSchema), 'A page of jobs.'), ...listErrors },
});

const show = get('/api/jobs/{id}', {
  operationId: 'showJob',
  summary: 'A job with its progress',
  request,
  responses: { 200: json(jobDetailSchema, 'The job.'), ...showErrors },
});

const { limit, cursor } = pageParameters(/^(?:[dq][1-9]\d{0,15}|(?:[0-9a-z]+-)?\d+)$/u);

const items = get('/api/jobs/{id}/items', {
  operationId: 'listJobItems',
  summary: 'The items of a job with a result, in order',
  description:
    'Items that were left alone or not begun are known of a plan of up to 500 deliveries or quarantined webhooks.',
  request: {
    ...request,
    query: z.strictObject({ limit, cursor, result: itemResultSchema.default('failed') }),
  },
  responses: { 200: json(pageOf(jobItemSchema), 'A page of items.'), ...showErrors },
});

const cancel = post('/api/jobs/{id}/cancel', {
  operationId: 'cancelJob',
  summary: 'Cancel a running job',
  request,
  responses: { 200: json(jobSchema, 'The job.'), ...changeErrors },
});

const resume = post('/api/jobs/{id}/resume', {
  operationId: 'resumeJob',
  summary: 'Go on with a job that was stopped or cancelled',
  request,
  responses: { 200: json(jobSchema, 'The job.'), ...changeErrors },
});

export function addJobRoutes(app: OpenAPIHono, deps: OpsDeps): void {
  const { store } = deps;
  app.openapi(plan, async (c) => {
    const asked = await planRequestOf(store, c.req.valid('json'));
    return c.json(planView(await makePlan(deps, asked)), 200);
  });
  app.openapi(start, async (c) => {
    const { plan: token, staged, rate, stop_at: stopAt } = c.req.valid('json');
    const started = await startPlan(deps, token, { staged, rate, stopAt, requestedBy: actorOf(c) });
    if (started.job === null)
      return c.json({ job: null, gone: 0, more: started.more, plan: planView(started.plan) }, 200);
    addDetails(c, jobDetails(started.job), started.job.reason);
    return c.json({ job: jobView(started.job), gone: started.gone, more: 0, plan: null }, 200);
  });
  app.openapi(list, async (c) => {
    const { limit, cursor } = c.req.valid('query');
    const { rows, next } = await readPage(limit, cursor, (page) => listJobs(store, page));
    return c.json({ data: [...rows], next }, 200);
  });
  app.openapi(show, async (c) => c.json(await showJob(store, c.req.valid('param').id), 200));
  app.openapi(items, async (c) => {
    const { limit, cursor, result } = c.req.valid('query');
    const { id } = c.req.valid('param');
    const { rows, next } = await readPage(limit, cursor, (page) =>
      jobItems(store, id, { ...page, result, unmask: false }),
    );
    return c.json({ data: [...rows], next }, 200);
  });
  app.openapi(cancel, async (c) =>
    c.json(jobView(await cancelJob(deps, c.req.valid('param').id, actorOf(c))), 200),
  );
  app.openapi(resume, async (c) => c.json(jobView(await resumeJob(deps, c.req.valid('param').id)), 200));
}
