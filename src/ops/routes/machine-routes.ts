/** The routes of machines: list, states and rebuild. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { machineDetail } from '../../operate/show/machine-detail.ts';
import { rebuildMachines } from '../../operate/change/rebuild-machines.ts';
import { machineDetailSchema, machineSchema, machineView } from '../../view/machine-view.ts';
import { rebuildSchema, type RebuildView } from '../../view/operation-views.ts';
import { addDetails } from '../../access/audited-request.ts';
import { rebuildDetails } from '../../view/change-details.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { subjectParameter } from '../../view/parameters/conditions.ts';
import { jsonBody, unmaskParameter } from '../parameters.ts';
import { changeErrors, json, listErrors, pageOf, showErrors } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get, post } = routesOf('machines');

const list = get('/api/machines', {
  operationId: 'listMachines',
  summary: 'States of machines, by subject',
  description: 'The list has one page; conditions narrow it.',
  request: {
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(1000).default(50).describe('At most so many rows.'),
      machine: z.string().optional().describe('Of this machine.'),
      source: z.string().optional().describe('Of subjects of this source.'),
      subject: subjectParameter.optional(),
      anomalous: z.enum(['true', 'false']).optional().describe('Whether impossible transitions were seen.'),
    }),
  },
  responses: { 200: json(pageOf(machineSchema), 'Machine states.'), ...listErrors },
});

const show = get('/api/machines/{machine}/{subject}', {
  operationId: 'showMachine',
  summary: 'What a machine knows of a subject',
  request: {
    params: z.object({ machine: z.string().describe('The machine.'), subject: subjectParameter }),
    query: z.strictObject({
      source: z.string().optional().describe('Needed when several sources have the subject.'),
      unmask: unmaskParameter,
    }),
  },
  responses: { 200: json(machineDetailSchema, 'State and anomalies.'), ...showErrors },
});

const rebuilt = z.object({
  counts: z
    .object({
      changed: z.int().describe('The state is another now.'),
      unchanged: z.int().describe('The state was right.'),
      failed: z.int().describe('The state changed during every attempt.'),
      kept: z.int().describe('Kept, because needed events are pruned.'),
    })
    .describe('Subjects by outcome.'),
  data: z.array(rebuildSchema).describe('The first 1000 subjects whose state changed, or that failed.'),
});

const rebuild = post('/api/machines/rebuild', {
  operationId: 'rebuildMachines',
  summary: 'Fold stored events anew',
  description: 'All machines and subjects that fit the conditions; `{}` means all. No effect runs.',
  request: jsonBody(
    z.strictObject({
      machine: z.string().optional().describe('Only this machine.'),
      subject: subjectParameter.optional(),
      source: z.string().optional().describe('Only subjects of this source.'),
      dry_run: z.boolean().default(false).describe('Report what would be rebuilt, without changes.'),
    }),
  ),
  responses: { 200: json(rebuilt, 'What was rebuilt.'), ...changeErrors },
});

/** Subjects listed in the response: millions may be rebuilt. */
const MAX_LISTED = 1000;

export function addMachineRoutes(app: OpenAPIHono, deps: OpsDeps): void {
  const { store } = deps;
  app.openapi(list, async (c) => {
    const { limit, machine, source, subject, anomalous } = c.req.valid('query');
    const states = await store.listMachineStates({
      limit,
      ...(machine !== undefined && { machine }),
      ...(source !== undefined && { source }),
      ...(subject && { subject }),
      ...(anomalous !== undefined && { anomalous: anomalous === 'true' }),
    });
    return c.json({ data: states.map(machineView), next: null }, 200);
  });
  app.openapi(show, async (c) => {
    const { source, unmask } = c.req.valid('query');
    const { contract } = deps.registry;
    const request = { ...c.req.valid('param'), unmask, contract, ...(source !== undefined && { source }) };
    return c.json(await machineDetail(store, request), 200);
  });
  app.openapi(rebuild, async (c) => {
    const { machine, subject, source, dry_run: dryRun } = c.req.valid('json');
    const counts = { changed: 0, unchanged: 0, kept: 0, failed: 0 };
    const data: RebuildView[] = [];
    const outcomes: RebuildView['outcome'][] = [];
    const request = {
      dryRun,
      ...(machine !== undefined && { machine }),
      ...(subject && { subject }),
      ...(source !== undefined && { source }),
    };
    for await (const report of rebuildMachines(deps, request)) {
      outcomes.push(report.outcome);
      counts[report.outcome] += 1;
      if (report.outcome !== 'unchanged' && data.length < MAX_LISTED) data.push(report);
    }
    if (!dryRun) addDetails(c, rebuildDetails(outcomes));
    return c.json({ counts, data }, 200);
  });
}
