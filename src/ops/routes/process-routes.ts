/** The routes of the process: handlers, statistics, dispatch and problems. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { handlerCoverage } from '../../operate/show/handler-coverage.ts';
import { showStatistics } from '../../operate/show/show-statistics.ts';
import { coverageSchema, handlerSchema } from '../../view/handler-view.ts';
import { dispatchSchema, dispatchView } from '../../view/dispatch-view.ts';
import { lookSchema, lookView } from '../../view/look-view.ts';
import { problemSchema, problemView } from '../../view/problem-view.ts';
import { statisticsSchema } from '../../view/statistics-view.ts';
import { unmaskParameter } from '../parameters.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { json, listErrors } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get } = routesOf('process');

const handlers = get('/api/handlers', {
  operationId: 'listHandlers',
  summary: 'Handlers and machines, and the kinds they take',
  responses: {
    200: json(
      z.object({
        data: z.array(handlerSchema).describe('Handlers and machines of this process.'),
        coverage: z.array(coverageSchema).describe('Each kind of the contract with its handlers.'),
        next: z.null().describe('The list has one page.'),
      }),
      'Handlers and coverage.',
    ),
    ...listErrors,
  },
});

const stats = get('/api/stats', {
  operationId: 'showStatistics',
  summary: 'Statistics of the store, and the processes that run its deliveries',
  responses: { 200: json(statisticsSchema, 'The numbers.'), ...listErrors },
});

const dispatch = get('/api/dispatch', {
  operationId: 'showDispatch',
  summary: 'Running deliveries, open breakers, and what waits for a rate',
  request: { query: z.strictObject({ unmask: unmaskParameter }) },
  responses: { 200: json(dispatchSchema, 'The dispatcher.'), ...listErrors },
});

const attention = get('/api/attention', {
  operationId: 'listProblems',
  summary: 'List problems that need an operator',
  responses: {
    200: json(
      z.object({
        data: z.array(problemSchema).describe('Problems that the last check has found, once a minute.'),
        quiet: z
          .array(problemSchema)
          .describe('Silences that the provider’s API explains: nothing has changed there.'),
        next: z.null().describe('The list has one page.'),
      }),
      'The problems.',
    ),
    ...listErrors,
  },
});

const reconcile = get('/api/reconcile', {
  operationId: 'listLooks',
  summary: 'List the last look at each family of the provider’s records',
  responses: {
    200: json(
      z.object({
        data: z.array(lookSchema).describe('By source and family.'),
        next: z.null().describe('The list has one page.'),
      }),
      'The looks.',
    ),
    ...listErrors,
  },
});

export function addProcessRoutes(
  app: OpenAPIHono,
  { store, registry, dispatcher, observation }: OpsDeps,
): void {
  app.openapi(handlers, (c) => {
    const covered = handlerCoverage(registry);
    return c.json({ data: [...covered.handlers], coverage: [...covered.coverage], next: null }, 200);
  });
  app.openapi(stats, async (c) => c.json(await showStatistics(store, observation().problems), 200));
  app.openapi(reconcile, async (c) => {
    const { looks } = await store.monitoring();
    return c.json({ data: looks.map(lookView), next: null }, 200);
  });
  app.openapi(attention, (c) => {
    const { problems, quiet } = observation();
    return c.json({ data: problems.map(problemView), quiet: quiet.map(problemView), next: null }, 200);
  });
  app.openapi(dispatch, async (c) => {
    const status = { ...(await store.monitoring()), ...dispatcher.status() };
    return c.json(dispatchView(status, c.req.valid('query')), 200);
  });
}
