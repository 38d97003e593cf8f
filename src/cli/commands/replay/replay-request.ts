import type { Registry } from '../../../handle/load/registry.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { suggest } from '../../../kernel/text/suggest.ts';
import type { EventFilter } from '../../../store/queries.ts';
import type { ReplayRecord } from '../../../store/replays.ts';
import type { Store } from '../../../store/store.ts';
import { notFound } from '../../not-found.ts';
import { eventFilter } from '../../options/event-filter-options.ts';
import type { ReplayFlags } from './replay-flags.ts';

/** What is to be replayed, new or half done. */
export type ReplayRequest = Pick<ReplayRecord, 'filter' | 'handlers' | 'ifNotSucceeded' | 'target'> & {
  /** When it is resumed. */
  readonly record: ReplayRecord | null;
};

/**
 * @throws PortariaError `invalid-argument` when flags do not go together or a
 *   handler is unknown, `not-found` when an event or the replay is.
 */
export async function replayRequest(
  store: Store,
  registry: Registry,
  flags: ReplayFlags,
): Promise<ReplayRequest> {
  if (flags.resume !== undefined) return resumed(store, flags, flags.resume);
  const filter = eventFilter(flags);
  for (const id of filter.ids ?? []) if ((await store.event(id)) === null) notFound('event', id);
  return {
    filter: filter.ids === undefined ? await ofThoseStored(store, filter) : filter,
    handlers: flags.to === undefined ? chosenHandlers(registry, flags) : noHandlers(flags),
    ifNotSucceeded: flags.ifNotSucceeded,
    target: flags.to ?? null,
    record: null,
  };
}

/** What arrives from now on is not meant, and would make a long replay endless. */
async function ofThoseStored(store: Store, filter: EventFilter): Promise<EventFilter> {
  const [last] = await store.events({}, { order: 'newest', limit: 1 });
  return last === undefined ? { ...filter, ids: [] } : { ...filter, upTo: last.id };
}

async function resumed(store: Store, flags: ReplayFlags, id: string): Promise<ReplayRequest> {
  const given = Object.keys(eventFilter(flags)).length > 0;
  if (given || flags.handler !== undefined || flags.ifNotSucceeded || flags.to !== undefined)
    throw new PortariaError(
      'invalid-argument',
      '--resume goes on with what the replay was made for; only --rate and --concurrency go with it',
    );
  const record = (await store.replay(id)) ?? notFound('replay', id);
  return { ...record, record };
}

function chosenHandlers(registry: Registry, { handler }: ReplayFlags): readonly string[] {
  const known = registry.definitions.map(({ name }) => name);
  if (handler === undefined) return known;
  for (const name of handler) {
    if (known.includes(name)) continue;
    const other = registry.runnable(name);
    if (other?.type === 'effects')
      throw new PortariaError(
        'invalid-argument',
        `${name} cannot be replayed alone: effects are delivered again with their machine, --handler ${other.machine.name}`,
      );
    const meant = suggest(name, known);
    const hint =
      meant === undefined ? `; known are ${known.join(', ') || 'none'}` : `; did you mean ${meant}?`;
    throw new PortariaError('invalid-argument', `There is no handler ${name}${hint}`);
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
