/** `portaria replay`: delivers stored events to handlers again, or posts them to a URL. */
import type { Command } from 'commander';
import type { Registry } from '../../../handle/load/registry.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { plannedCalls, planReplay, type ReplayPlan } from '../../../replay/replay-plan.ts';
import type { ReplayRecord } from '../../../store/replays.ts';
import { operateOnStore, namedFilter } from '../../audited.ts';
import { confirm } from '../../terminal/confirm.ts';
import { requireKinds } from '../../options/kind-option.ts';
import { knownHandlers, ownerText } from '../../known-handlers.ts';
import { countOf } from '../../../kernel/text/count.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { planJson, planText } from './plan-text.ts';
import type { LoadLocal } from './open-runner.ts';
import { addReplayList } from './replay-list.ts';
import { addReplayOptions, replayRequest, type ReplayFlags, type ReplayRequest } from './replay-request.ts';
import { runCalls } from './run-calls.ts';
import { runSends } from './run-sends.ts';

export function addReplay(program: Command, session: Session): void {
  const command = program
    .command('replay')
    .description('deliver stored events to handlers again, or post them to a URL, in order per subject');
  addReplayList(command, session);
  addReplayOptions(command, session.terminal.clock).action(async (flags: ReplayFlags) => {
    // Handlers that run in this process may call the API.
    const callsNoHandler = flags.dryRun || flags.to !== undefined;
    // Loaded once: the files of handlers may have side effects.
    let loaded: Promise<Registry> | undefined;
    const local: LoadLocal = () =>
      (loaded ??= loadRegistry(callsNoHandler ? session.config() : session.configWithApi()));
    const { request, plan } = await prepare(session, local, flags);
    if (flags.dryRun) {
      await printPlan(session, plan, request, flags.json);
      return;
    }
    if (!(await confirmPlan(session, plan, request, flags))) return;
    const record = await begin(session, request, plan);
    // Print the id first: the replay can be resumed however this process ends.
    await session.note(`Replay ${record.id}`);
    if (record.target === null) await runCalls(session, local, record, { plan, flags });
    else await runSends(session, record, { plan, flags });
  });
}

async function prepare(
  session: Session,
  local: LoadLocal,
  flags: ReplayFlags,
): Promise<{ readonly request: ReplayRequest; readonly plan: ReplayPlan }> {
  return withStore(session, async (store, config) => {
    const known = await knownHandlers(store, config, local);
    const { registry, processes } = known;
    await requireKinds(store, registry.contract, flags.kind);
    const request = await replayRequest(store, known, flags);
    if (processes.length > 0 && request.target === null)
      await session.note(`Handlers of ${ownerText(processes)}.`);
    const after = request.record?.cursor ?? null;
    // A finished replay has enqueued everything; resuming it only waits for its deliveries.
    const isEnqueued = request.record?.status === 'finished';
    const plan = isEnqueued
      ? { events: 0, eventsCalled: 0, subjects: 0, pruned: 0, unrecognized: 0, handlers: [] }
      : await planReplay({ store, registry }, { ...request, after });
    return { request, plan };
  });
}

async function printPlan(
  session: Session,
  plan: ReplayPlan,
  request: ReplayRequest,
  json: boolean,
): Promise<void> {
  const width = session.terminal.out.columns();
  await session.print(json ? JSON.stringify(planJson(plan, request)) : planText(plan, request, width));
}

/** Shows the plan and asks whether to start. A resumed replay was confirmed before. */
async function confirmPlan(
  session: Session,
  plan: ReplayPlan,
  request: ReplayRequest,
  flags: ReplayFlags,
): Promise<boolean> {
  const { terminal } = session;
  await session.note(planText(plan, request, terminal.err.columns()));
  if (request.record !== null) return true;
  const calls = request.target === null ? plannedCalls(plan) : plan.events;
  if (calls === 0) {
    await session.note('Nothing to replay.');
    return false;
  }
  return confirm(session, `Start ${countOf(calls, 'call')}?`, flags);
}

/** Creates a replay, or resumes one: the audit has it before anything runs. */
function begin(
  session: Session,
  { record, ...request }: ReplayRequest,
  plan: ReplayPlan,
): Promise<ReplayRecord> {
  const { filter, handlers, ifNotSucceeded, target } = request;
  const to = target === null ? undefined : new URL(target).host;
  const subject =
    record === null ? namedFilter({ ...filter, handlers, ifNotSucceeded, to }) : { replay: record.id };
  const operation = { action: record === null ? 'startReplay' : 'resumeReplay', subject };
  return operateOnStore(session, operation, async (store, _config, addDetails) => {
    const begun = record ?? (await store.createReplay(request, session.terminal.clock.now()));
    addDetails({ replay: begun.id, calls: String(target === null ? plannedCalls(plan) : plan.events) });
    return begun;
  });
}
