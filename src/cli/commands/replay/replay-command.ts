/** `portaria replay`: delivers stored events to handlers again, or posts them to a URL. */
import type { Command } from 'commander';
import { type Session, withoutApi } from '../../session.ts';
import { runPlan } from '../jobs/run-plan.ts';
import { loadConfig } from '../../../config/load-config.ts';
import type { PlanRequest } from '../../../jobs/plan-request.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { Store } from '../../../store/store.ts';
import { ownerText, unknownHandler, type KnownHandlers } from '../../known-handlers.ts';
import { addEventFilterOptions, eventFilter, type EventFilterFlags } from '../../options/event-filter.ts';
import { addCompanyOption } from '../../options/company-option.ts';
import { requireKinds } from '../../options/kind-option.ts';
import { jsonOption } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { parseTarget } from '../../options/values.ts';
import { notFound } from '../../with-store.ts';
import { addOvertakenOption, addPaceOptions, type RunFlags } from '../jobs/plan-options.ts';

export function addReplay(program: Command, session: Session): void {
  const command = program
    .command('replay')
    .description('plan to run stored events again, or to post them to a URL, and start it as a job');
  addReplayOptions(command, session.terminal.clock)
    .addHelpText(
      'after',
      '\nThe order of each subject is kept. The serving process runs the job; `portaria jobs` lists, shows, cancels and\nresumes it.\n',
    )
    .action((flags: ReplayFlags) =>
      runPlan(session, (store, known) => replayRequest(session, { store, known }, flags), flags),
    );
}

/** The parsed flags of `portaria replay`. */
interface ReplayFlags extends EventFilterFlags, RunFlags {
  readonly handler?: readonly string[];
  readonly ifNotSucceeded: boolean;
  readonly includeOvertaken: boolean;
  readonly to?: string;
}

function addReplayOptions(command: Command, clock: Clock): Command {
  const selection = addCompanyOption(addEventFilterOptions(command, clock))
    .option('--handler <name>', 'only this handler or machine; repeatable (default: all)', repeatable)
    .option('--if-not-succeeded', 'leave out events that a handler has already succeeded with', false)
    .option('--to <url>', 'post the stored bodies to this URL instead of calling handlers', parseTarget)
    .option('--plan', 'show what would run, of which handlers; change nothing', false)
    .option('--dry-run', 'the same', false);
  return addPaceOptions(addOvertakenOption(selection), { stages: true })
    .option('-y, --yes', 'start without asking', false)
    .addOption(jsonOption());
}

/**
 * Turns flags into a request.
 *
 * @throws PortariaError `invalid-argument` when flags contradict each other; `not-found` when an event, a handler or
 *   a kind does not exist; `misconfigured` for a URL that is this process's own.
 */
async function replayRequest(
  session: Session,
  { store, known }: { readonly store: Store; readonly known: KnownHandlers },
  flags: ReplayFlags,
): Promise<PlanRequest> {
  const { to } = flags;
  const { registry, processes } = known;
  await requireKinds(store, registry.contract, flags.kind);
  const filter = eventFilter(flags);
  for (const id of filter.ids ?? [])
    if ((await store.event(id)) === null) notFound('event', id, 'portaria events list');
  const handlers = to === undefined ? chosenHandlers(known, flags) : noHandlers(flags);
  if (to !== undefined)
    loadConfig({ ...withoutApi(session.environment()), PORTARIA_FORWARD_URL: to }, session.terminal.cwd);
  else if (processes.length > 0) await session.note(`Handlers of ${ownerText(processes)}.`);
  const { ifNotSucceeded, includeOvertaken } = flags;
  const events = { filter, handlers, ifNotSucceeded, includeOvertaken, target: to ?? null };
  return { action: 'replay', events };
}

function chosenHandlers(known: KnownHandlers, { handler }: ReplayFlags): readonly string[] {
  const { registry } = known;
  const names = registry.definitions.map(({ name }) => name);
  if (handler === undefined) return names;
  for (const name of handler) {
    if (names.includes(name)) continue;
    const other = registry.runnable(name);
    if (other?.type === 'effects')
      throw new PortariaError(
        'invalid-argument',
        `--handler ${name} cannot be replayed alone: effects are replayed with their machine, --handler ${other.machine.name}`,
      );
    throw unknownHandler(`--handler ${name}`, name, known);
  }
  return [...new Set(handler)];
}

function noHandlers({ handler, ifNotSucceeded, includeOvertaken }: ReplayFlags): readonly string[] {
  if (handler === undefined && !ifNotSucceeded && !includeOvertaken) return [];
  throw new PortariaError(
    'invalid-argument',
    '--to calls no handler: leave out --handler, --if-not-succeeded and --include-overtaken',
  );
}
