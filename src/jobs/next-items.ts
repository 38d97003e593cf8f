/** Reads the next items of a job, and acts on them. */
import type { EventRecord } from '../event/stored-event.ts';
import { PortariaError } from '../kernel/errors.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { scrub } from '../kernel/text/scrub.ts';
import { isAborted, pause } from '../kernel/time/pause.ts';
import { releaseEntries } from '../operate/change/release-quarantine.ts';
import { createSendEvents } from './replay/send-events.ts';
import type { JobEnding, JobRecord, RepairSelection } from '../store/jobs.ts';
import type { ReplayRequest, Replays, ReplayTraits } from '../store/replays.ts';
import type { RunDeps } from './job-deps.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Route } from '../store/route.ts';
import { createChooseCalls, selectionFor } from './replay/choose-calls.ts';
import { takeEvents, type TakenEvents } from './replay/take-events.ts';

/** Items that were read, and on which nothing was done yet. */
export interface NextItems {
  readonly count: number;
  /** Acts on them. Resolves to why the job must stop, or to null. */
  act(signal: AbortSignal): Promise<JobEnding | null>;
}

/** Returns the items after the cursor of a job, `limit` at most; null when there are none. */
export type ReadNext = (job: JobRecord, limit: number) => Promise<NextItems | null>;

/** Events that are sent before what became of them is stored: as many may be sent twice after a crash. */
const MAX_SENT = 50;
/** Failures of one run that the log names: a wrong target fails for every event. */
const MAX_LOGGED = 20;
/** Milliseconds between polls for a cancellation while events are sent. */
const POLL_MS = 500;

/** @param deps.job the job that all calls are for */
export function createReadNext(deps: RunDeps, { selection }: JobRecord): ReadNext {
  const { store, clock, registry } = deps;
  if ('events' in selection) {
    const { target } = selection.events;
    return target === null ? callHandlers(deps, selection.events) : sendTo(deps, selection.events, target);
  }
  if ('repair' in selection) return repairSubjects(deps, selection.repair);
  const { includeOvertaken = false } = selection;
  const overtakenOf = async (ids: readonly string[]) => {
    const among = { handlers: registry.newestOnly, limit: ids.length };
    return (await store.overtaken({ ids }, among)).map(({ id }) => id);
  };
  return async (job, limit) => {
    const page = pageOf(job, limit);
    const entries = 'entries' in selection ? await store.quarantined(selection.entries, page) : [];
    const found = 'entries' in selection ? entries : await store.deliveries(selection.deliveries, page);
    if (found.length === 0) return null;
    const items = found.map(({ id }) => id);
    return {
      count: items.length,
      async act() {
        // A process that ends here releases them again, which changes nothing.
        await releaseEntries(deps, entries, { dryRun: false, includeOvertaken });
        const released = 'entries' in selection;
        const left = job.action === 'retry' && !includeOvertaken ? await overtakenOf(items) : [];
        await store.stepJob(job.id, { items, left, now: clock.now(), released });
        deps.wake();
        return null;
      },
    };
  };
}

const pageOf = ({ cursor }: JobRecord, limit: number) =>
  ({ order: 'oldest', limit, ...(cursor !== null && { after: cursor }) }) as const;

function callHandlers(deps: RunDeps, request: ReplayRequest): ReadNext {
  const { store, clock } = deps;
  const take = createTakeCalls(deps, request);
  return async (job, limit) => {
    const taken = await take(job.cursor, limit);
    if (taken === null) return null;
    return {
      count: taken.count,
      async act() {
        await store.enqueueReplay(job.id, taken.deliveries, { cursor: String(taken.last), now: clock.now() });
        deps.wake();
        return null;
      },
    };
  };
}

function sendTo(deps: RunDeps, request: ReplayRequest, target: string): ReadNext {
  const { store, clock, random, warn } = deps;
  let logged = 0;
  const onFailure = ({ id }: EventRecord, reason: string): void => {
    logged += 1;
    if (logged <= MAX_LOGGED)
      warn(`event ${id} was not delivered to ${new URL(target).host}: ${scrub(reason)}`);
  };
  const send = createSendEvents({ store, clock, random, post: deps.postTo(target), onFailure });
  return async (job, limit) => {
    const events = await store.events(request.filter, pageOf(job, Math.min(limit, MAX_SENT)));
    if (events.length === 0) return null;
    return {
      count: events.length,
      async act(signal) {
        const { ended, sent, down } = await untilCancelled(deps, job.id, signal, (stopped) =>
          send(events, stopped),
        );
        const last = events[ended - 1];
        if (last !== undefined)
          await store.enqueueReplay(job.id, [], { cursor: last.id, now: clock.now(), sent });
        return down === null ? null : { code: 'target-down', reason: scrub(down) };
      },
    };
  };
}

/** Each subject takes a request to the provider, so a step has few. */
const MAX_REPAIRED = 20;

function repairSubjects(deps: RunDeps, { subjects, ...how }: RepairSelection): ReadNext {
  const { store, clock } = deps;
  return async (job, limit) => {
    const from = Number(job.cursor?.slice(1) ?? 0);
    const next = subjects.slice(from, from + Math.min(limit, MAX_REPAIRED));
    if (next.length === 0) return null;
    return {
      count: next.length,
      async act(signal) {
        const items: string[] = [];
        const repaired: string[] = [];
        const ending = await untilCancelled(
          deps,
          job.id,
          signal,
          async (stopped): Promise<JobEnding | null> => {
            for (const [at, subject] of next.entries()) {
              if (stopped.aborted) return null;
              try {
                const event = await deps.repair(subject, how, stopped);
                if (event !== null) repaired.push(event);
              } catch (error) {
                if (isAborted(stopped)) return null;
                // The store's own faults are tried again; a source without an API is not there later, either.
                if (PortariaError.is(error) && error.code !== 'misconfigured') throw error;
                return { code: 'target-down', reason: `${subject}: ${scrub(failureReason(error))}` };
              }
              items.push(`r${String(from + at + 1)}`);
            }
            return null;
          },
        );
        // A process that ends before this finds them equal afterwards, and leaves them alone.
        if (items.length > 0) await store.stepJob(job.id, { items, repaired, now: clock.now() });
        deps.wake();
        return ending;
      },
    };
  };
}

/** Does work that takes long, and aborts it when the job runs no longer. */
async function untilCancelled<T>(
  { store, clock }: RunDeps,
  id: string,
  signal: AbortSignal,
  work: (stopped: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const stopped = AbortSignal.any([signal, ending.signal]);
  const watch = async (): Promise<void> => {
    for (;;) {
      await pause(clock, POLL_MS, stopped);
      if (stopped.aborted) return;
      if ((await store.job(id))?.state !== 'running') ending.abort();
    }
  };
  const watching = watch();
  try {
    return await work(stopped);
  } finally {
    ending.abort();
    await watching;
  }
}

/** Events read at a time, at least: with a low rate, few of them are taken. */
const MIN_PAGE = 100;

/** Returns the calls that come next, oldest events first: `limit` at most, but all of one event; null when none is left. */
type TakeCalls = (after: string | null, limit: number) => Promise<TakenEvents | null>;

export function createTakeCalls(
  { store, registry }: { readonly store: Pick<Replays, 'replayEvents'>; readonly registry: Registry },
  request: ReplayRequest,
): TakeCalls {
  const choose = createChooseCalls(registry, request);
  const selection = selectionFor(registry, request);
  const routesOf = (traits: ReplayTraits): readonly Route[] =>
    choose(traits).flatMap(({ route, decision }) => (decision === 'call' ? [route] : []));
  return async (after, limit) => {
    const read = await store.replayEvents(selection, { after, limit: Math.max(MIN_PAGE, limit) });
    if (read.length === 0) return null;
    return takeEvents(
      read.map(({ traits, events }) => ({ events, routes: routesOf(traits) })),
      limit,
    );
  };
}
