/** Controls of scheduled steps. */
import { z } from 'zod';
import { closedSet } from '../../src/contract/field/schemas.ts';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { HttpError } from '../http/http-error.ts';
import { processes } from '../scenario/scenario-tables.ts';
import { findStep, selectSteps, type DueStep } from '../scenario/schedule-step.ts';
import { control, type Control } from './control.ts';

const process = closedSet(processes);
const params = z.object({ process, id: numericId });

/** Lists, runs and drops scheduled steps of the scenario. */
export const stepControls: readonly Control[] = [
  control(
    {
      method: 'get',
      path: '/steps',
      summary: 'The scheduled steps, in the order of their due times',
      filters: {},
      query: z.object({ process: process.optional() }),
    },
    async ({ page, query: { process } }, { provider: { query } }) => {
      const all = selectSteps(query);
      const steps = process === undefined ? all : all.where('process', '=', process);
      const rows = await steps
        .limit(page.size)
        .offset((page.page - 1) * page.size)
        .execute();
      const { total } = await steps
        .clearSelect()
        .clearOrderBy()
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { data: rows.map(stepRecord), pagination: page, total };
    },
  ),
  control(
    {
      method: 'post',
      path: '/steps/{process}/{id}/run',
      summary: 'Run a scheduled step now; responds with the next step of the record',
      params,
    },
    async ({ params }, { provider: { query }, scenario }) => {
      if (!(await runStep(scenario.performNow(params.process, params.id)))) throw notScheduled(params);
      const next = await findStep(query, params.process, params.id);
      return { data: next === undefined ? null : stepRecord(next) };
    },
  ),
  control(
    {
      method: 'delete',
      path: '/steps/{process}/{id}',
      summary: 'Drop a scheduled step; its record waits until another change schedules one',
      params,
    },
    async ({ params: { process, id } }, { provider: { query } }) => {
      const step = await findStep(query, process, id);
      if (step === undefined) throw notScheduled({ process, id });
      await query
        .updateTable('scheduled_steps')
        .set({ due_at: null })
        .where('process', '=', process)
        .where('subject_id', '=', id)
        .where('round', '=', step.round)
        .execute();
      return { data: stepRecord(step) };
    },
  ),
];

/** @throws HttpError 409 with the reason when the step is no longer possible. */
async function runStep(running: Promise<boolean>): Promise<boolean> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof HttpError)
      throw new HttpError(
        409,
        `The step is no longer possible and was dropped: ${error.message || error.label}`,
      );
    throw error;
  }
}

function notScheduled({ process, id }: z.output<typeof params>): HttpError {
  return new HttpError(
    404,
    `No step ${process} is scheduled for ${String(id)}; GET /control/steps lists all`,
  );
}

/** `id` is the id of the record: a company, a user, a payment slip, … */
function stepRecord({ process, subject_id, organization_id, due_at }: DueStep) {
  return { process, id: subject_id, organization: organization_id, due_at };
}
