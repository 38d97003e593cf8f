/** The flags of a replay. */
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { EventFilter } from '../../../store/queries.ts';
import type { ReplayRecord } from '../../../store/replays.ts';
import type { Store } from '../../../store/store.ts';
import { unknownHandler, type KnownHandlers } from '../../known-handlers.ts';
import { addEventFilterOptions, eventFilter, type EventFilterFlags } from '../../options/event-filter.ts';
import { jsonOption } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { parseCount, parseRate, parseWebAddress } from '../../options/values.ts';
import { notFound } from '../../with-store.ts';

/** The parsed flags that decide how a replay runs, not what it replays. */
export interface RunFlags {
  readonly rate?: number;
  readonly concurrency?: number;
  readonly json: boolean;
}

/** The parsed flags of `portaria replay`. */
export interface ReplayFlags extends EventFilterFlags, RunFlags {
  readonly handler?: readonly string[];
  readonly ifNotSucceeded: boolean;
  readonly to?: string;
  readonly resume?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

export function addReplayOptions(command: Command, clock: Clock): Command {
  return addEventFilterOptions(command, clock)
    .option('--handler <name>', 'only this handler or machine; repeatable (default: all)', repeatable)
    .option('--if-not-succeeded', 'leave out events that a handler has already succeeded with', false)
    .option('--to <url>', 'post the stored bodies to this URL instead of calling handlers', parseWebAddress)
    .option('--rate <n>', 'start at most n calls per second', parseRate)
    .option('--concurrency <n>', 'run at most n calls at a time', parseCount)
    .option('--resume <id>', 'resume an interrupted replay, for example r3')
    .option('--dry-run', 'show what would be replayed, change nothing', false)
    .option('-y, --yes', 'start without asking', false)
    .addOption(jsonOption());
}

/** What to replay: a new replay, or the rest of one that is resumed. */
export type ReplayRequest = Pick<ReplayRecord, 'filter' | 'handlers' | 'ifNotSucceeded' | 'target'> & {
  /** The resumed replay; null for a new one. */
  readonly record: ReplayRecord | null;
};

/**
 * Turns flags into a request.
 *
 * @throws PortariaError `invalid-argument` when flags contradict each other; `not-found` when an event, a handler or
 *   the replay does not exist.
 */
export async function replayRequest(
  store: Store,
  known: KnownHandlers,
  flags: ReplayFlags,
): Promise<ReplayRequest> {
  if (flags.resume !== undefined) return resumedRequest(store, known, flags, flags.resume);
  const filter = eventFilter(flags);
  for (const id of filter.ids ?? [])
    if ((await store.event(id)) === null) notFound('event', id, 'portaria events list');
  return {
    filter: filter.ids === undefined ? await upToNewest(store, filter) : filter,
    handlers: flags.to === undefined ? chosenHandlers(known, flags) : noHandlers(flags),
    ifNotSucceeded: flags.ifNotSucceeded,
    target: flags.to ?? null,
    record: null,
  };
}

/** Excludes events that arrive from now on: with them, a long replay might never end. */
async function upToNewest(store: Store, filter: EventFilter): Promise<EventFilter> {
  const [last] = await store.events({}, { order: 'newest', limit: 1 });
  return last === undefined ? { ...filter, ids: [] } : { ...filter, upTo: last.id };
}

async function resumedRequest(
  store: Store,
  known: KnownHandlers,
  flags: ReplayFlags,
  id: string,
): Promise<ReplayRequest> {
  const hasFilter = Object.keys(eventFilter(flags)).length > 0;
  if (hasFilter || flags.handler !== undefined || flags.ifNotSucceeded || flags.to !== undefined)
    throw new PortariaError(
      'invalid-argument',
      '--resume takes events, handlers and target from the replay: add only --rate and --concurrency',
    );
  const record = (await store.replay(id)) ?? notFound('replay', id, 'portaria replay list');
  requireHandlersOf(record, known);
  return { ...record, record };
}

/**
 * Rejects a replay for handlers that these do not contain: it would end without having called them.
 *
 * @throws PortariaError `not-found`
 */
export function requireHandlersOf({ id, handlers }: ReplayRecord, known: KnownHandlers): void {
  const names = known.registry.definitions.map(({ name }) => name);
  const missing = handlers.find((name) => !names.includes(name));
  if (missing !== undefined) throw unknownHandler(`replay ${id}`, missing, known);
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

function noHandlers({ handler, ifNotSucceeded }: ReplayFlags): readonly string[] {
  if (handler === undefined && !ifNotSucceeded) return [];
  throw new PortariaError(
    'invalid-argument',
    '--to calls no handler: leave out --handler and --if-not-succeeded',
  );
}
