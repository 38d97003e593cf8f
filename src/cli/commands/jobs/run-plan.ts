/** Takes a plan from the command line to its end as a job. */
import { createIdentify } from '../../../identify/identify.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { keyedIds } from '../../../store/erased-content.ts';
import type { JobDeps } from '../../../jobs/job-deps.ts';
import { makePlan } from '../../../jobs/make-plan.ts';
import type { PlanRequest } from '../../../jobs/plan-request.ts';
import { jobDetails } from '../../../view/job-view.ts';
import { isByOperator } from '../../../store/pauses.ts';
import { scopeText } from '../../../view/pause-view.ts';
import { errorText } from '../../../view/payload/unmasking.ts';
import { planView, type PlanView } from '../../../view/plan-view.ts';
import { startPlan } from '../../../jobs/start-plan.ts';
import { createParse } from '../../../parse/parse.ts';
import type { Config } from '../../../config/config.ts';
import type { JobRecord } from '../../../store/jobs.ts';
import type { Store } from '../../../store/store.ts';
import { audited, operatorName } from '../../audited.ts';
import { commandName } from '../../command-name.ts';
import { knownHandlers, type KnownHandlers } from '../../known-handlers.ts';
import type { Session } from '../../session.ts';
import { confirm } from '../../terminal/confirm.ts';
import { withStore } from '../../with-store.ts';
import { paceOf, type RunFlags } from './plan-options.ts';
import { planText } from './plan-text.ts';
import { noteUnserved, watchJob } from './watch-job.ts';

/** Makes the request, with the handlers that are known. */
export type MakeRequest = (store: Store, known: KnownHandlers) => PlanRequest | Promise<PlanRequest>;

/** Shows a plan; unless only that, or a dry run, was asked for, starts it as a job and shows its progress until it ends. */
export async function runPlan(session: Session, makeRequest: MakeRequest, flags: RunFlags): Promise<void> {
  await withStore(session, async (store, config) => {
    const known = await knownHandlers(store, config);
    const deps = await jobDeps(session, store, config, known);
    const request = await makeRequest(store, known);
    const plan = planView(await makePlan(deps, request));
    if (flags.plan || flags.dryRun) {
      const width = session.terminal.out.columns();
      await session.print(flags.json ? JSON.stringify(plan) : planText(plan, width, request));
      return;
    }
    const job = await confirmed(session, { store, deps, request }, plan, flags);
    if (job === null) {
      if (flags.json) await session.print(JSON.stringify({ job: null }));
      return;
    }
    // The id first: the job goes on however this process ends.
    await session.note(`Job ${job.id}`);
    await notePauses(session, store, plan);
    if (await noteUnserved(session, store)) {
      if (flags.json) await session.print(JSON.stringify({ job: job.id }));
      return;
    }
    await watchJob(session, store, job.id, flags);
  });
}

async function jobDeps(
  session: Session,
  store: Store,
  config: Config,
  { registry }: Pick<KnownHandlers, 'registry'>,
): Promise<JobDeps> {
  const { contract } = registry;
  return {
    store,
    registry,
    clock: session.terminal.clock,
    parse: createParse(contract, config.onUnknownValue),
    identify: createIdentify(contract, keyedIds(await store.erasureKey())),
  };
}

/** Says which deliveries of a plan wait for an operator's pause, or may wait behind a failed one. */
async function notePauses(
  session: Session,
  store: Pick<Store, 'pauses'>,
  { handlers }: PlanView,
): Promise<void> {
  const found = (await store.pauses()).filter(({ handler }) =>
    handlers.some((each) => handler === null || handler === each.handler),
  );
  const lanes = found.filter((pause) => !isByOperator(pause)).length;
  if (lanes > 0)
    await session.note(
      `Of these handlers, ${countOf(lanes, 'lane waits', 'lanes wait')} behind failed deliveries. What the job has in them waits until those are retried or discarded: \`${commandName(session.terminal.env)} handlers pauses\`.`,
    );
  for (const pause of found.filter(isByOperator)) {
    const { reason, pausedBy } = pause;
    await session.note(
      `Paused by ${pausedBy}: ${scopeText(pause)} (${errorText(reason, { unmask: false })}). Its deliveries wait until \`${commandName(session.terminal.env)} handlers resume --id ${pause.id}\`.`,
    );
  }
}

/** Asks whether to start, and again when more matches by then. Returns null for a no. */
async function confirmed(
  session: Session,
  { store, deps, request }: { readonly store: Store; readonly deps: JobDeps; readonly request: PlanRequest },
  first: PlanView,
  flags: RunFlags,
): Promise<JobRecord | null> {
  const { terminal } = session;
  for (let plan = first; ;) {
    await session.note(planText(plan, terminal.err.columns(), request));
    if (plan.items === 0) {
      await session.note('Nothing to do.');
      return null;
    }
    if (
      !(await confirm(session, `Start to ${plan.action} ${String(plan.items)}?`, { yes: flags.yes === true }))
    )
      return null;
    const operation = {
      action: 'startPlan',
      subject: { plan: plan.action, items: String(plan.items) },
      reason: request.action === 'discard' ? request.reason : null,
    };
    const { plan: signed } = plan;
    const started = await audited(session, store, operation, async (addDetails) => {
      const result = await startPlan(deps, signed, { ...paceOf(flags), requestedBy: operatorName(terminal) });
      addDetails(result.job === null ? {} : jobDetails(result.job), result.job === null ? 'failed' : 'done');
      return result;
    });
    if (started.job !== null) {
      if (started.gone > 0)
        await session.note(
          `${String(started.gone)} of ${String(plan.items)} have changed since: the job does not act on them.`,
        );
      return started.job;
    }
    await session.note(`${String(started.more)} more match by now:`);
    plan = planView(started.plan);
  }
}
