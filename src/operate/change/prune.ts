/** Prunes old content in small steps, for retention and for `events prune`. */
import type { Machine } from '../../handle/define/machine.ts';
import { basesBeforePruning } from '../../handle/fold/pruned-history.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { HOUR_MS } from '../../kernel/time/durations.ts';
import type { AuditLog } from '../../store/audit.ts';
import type { Jobs } from '../../store/jobs.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import type { Monitoring } from '../../store/monitoring.ts';
import type {
  FoldedEvents,
  PrunableEvents,
  PrunedDay,
  PruneRequest,
  PrunePage,
  Retention,
} from '../../store/retention.ts';

/** How long content is kept, in milliseconds; null for ever. */
export interface KeepFor {
  readonly events: number | null;
  readonly quarantine: number | null;
  readonly deliveries: number | null;
  /** Entries of the audit. */
  readonly audit: number | null;
}

/** Rows that one step reads, and prunes in one transaction: a webhook that arrives waits for a few milliseconds. */
const STEP_ROWS = 200;
/** Deliveries are short rows without bodies. */
const STEP_DELIVERIES = 2_000;
/** Entries of the audit are short rows, too. */
const STEP_AUDIT = 2_000;
/** Items of jobs are pairs of numbers. */
const STEP_JOBS = 2_000;
/** A plan that can still be started must find the job that it has started. */
const KEEP_JOBS_MS = HOUR_MS;
/** The bytes that one transaction gives back. */
const STEP_BYTES = 512 * 1024;

export interface PruneDeps {
  readonly store: Retention &
    Pick<AuditLog, 'pruneAudit'> &
    Pick<Jobs, 'pruneJobs'> &
    Pick<Monitoring, 'recordMonitoring'> &
    Pick<MachineStates, 'machineState' | 'machineBase' | 'anomalies' | 'versionOrder' | 'storedEvents'>;
  /** Those whose states may depend on pruned events. */
  readonly machines: readonly Machine[];
  readonly clock: Pick<Clock, 'now'>;
}

/** What to prune: content from before these times, in milliseconds since 1970; null prunes nothing of its kind. */
export interface PruneBefore {
  readonly events: number | null;
  readonly quarantine: number | null;
  /** Also jobs that ended before. */
  readonly deliveries: number | null;
  /** Entries of the audit. */
  readonly audit?: number | null;
}

export interface PruneOptions {
  /** Counts what would be pruned, without changes. */
  readonly dryRun?: boolean;
  /** Called before each step. The run ends when it returns false. */
  readonly step: (sofar: PruneCount) => Promise<boolean>;
}

/** What a run pruned. Counts are rows. */
export interface PruneCount {
  readonly events: number;
  readonly quarantine: number;
  readonly deliveries: number;
  /** Dead letters among the deliveries: they become skipped. A dry run does not count them. */
  readonly discarded: number;
  /** Bytes of the bodies and headers of events. */
  readonly bytes: number;
  /** Old events that stay, because they or their machines wait, or for a dead letter. */
  readonly waiting: number;
  /** Old rows of all kinds that stay, because their subject is under a legal hold. */
  readonly held: number;
  /** Bytes that the file was shortened by. */
  readonly givenBack: number;
}

/**
 * Prunes old content step by step, each step one short transaction, and gives the
 * space back. An interrupted run leaves complete steps behind, and the next one
 * continues.
 *
 * Before events of a machine are pruned, the state that they leave is stored.
 *
 * @throws the store's errors
 */
export async function prune(
  deps: PruneDeps,
  before: PruneBefore,
  { dryRun = false, step }: PruneOptions,
): Promise<PruneCount> {
  const { store } = deps;
  const count = { ...NOTHING };

  /** Walks all rows of a kind. Returns false when the run was ended. */
  async function walk<P extends PrunePage>(
    read: (request: PruneRequest) => Promise<P>,
    { before: time, after: first, limit }: PruneRequest,
    each: (page: P, before: number) => Promise<void>,
  ): Promise<boolean> {
    for (let after: number | null = first; after !== null;) {
      if (!(await step(count))) return false;
      const page: P = await read({ before: time, after, limit });
      count.held += page.held;
      await each(page, time);
      after = page.next;
    }
    return true;
  }

  // First, because an event can be pruned once its dead letters are discarded.
  if (before.deliveries !== null) {
    const request = { before: before.deliveries, after: 0, limit: STEP_DELIVERIES };
    const ended = !(await walk(
      (page) => store.prunableDeliveries(page),
      request,
      async ({ rows }, time) => {
        if (rows.length === 0) return;
        const pruned = dryRun
          ? { deliveries: rows.length, discarded: 0 }
          : await store.pruneDeliveries(rows, time);
        count.deliveries += pruned.deliveries;
        count.discarded += pruned.discarded;
      },
    ));
    if (ended) return count;
  }

  if (before.events !== null) {
    if (!dryRun && !(await pruneDays(deps, before.events, step, count))) return count;
    let firstKept = Infinity;
    let last = 0;
    const request = { before: before.events, after: (await store.firstBody()) - 1, limit: STEP_ROWS };
    const ended = !(await walk(
      (page) => store.prunableEvents(page),
      request,
      async (page, time) => {
        const kept = await pruneEvents(deps, page, time, dryRun, count);
        firstKept = Math.min(firstKept, page.firstKept ?? Infinity, kept);
        ({ last } = page);
      },
    ));
    if (ended) return count;
    if (!dryRun) {
      await store.recordPruning({ firstBody: Math.min(firstKept, last + 1) });
      await store.recordMonitoring({ record: 'looks-pruned', before: before.events });
    }
  }

  if (before.quarantine !== null) {
    const request = { before: before.quarantine, after: 0, limit: STEP_ROWS };
    const ended = !(await walk(
      (page) => store.prunableQuarantine(page),
      request,
      async ({ rows }, time) => {
        if (rows.length === 0) return;
        if (dryRun) count.quarantine += rows.length;
        else
          await inHalves(rows, async (part) => {
            count.quarantine += await store.pruneQuarantine(part, time);
          });
      },
    ));
    if (ended) return count;
  }

  if (dryRun) return count;
  while (before.deliveries !== null && (await step(count))) {
    const ended = Math.min(before.deliveries, deps.clock.now() - KEEP_JOBS_MS);
    const pruned = await store.pruneJobs(ended, STEP_JOBS);
    if (pruned < STEP_JOBS) break;
  }
  while (before.audit != null && (await step(count))) {
    const pruned = await store.pruneAudit(before.audit, STEP_AUDIT);
    if (pruned < STEP_AUDIT) break;
  }
  while (await step(count)) {
    const given = await store.giveBackSpace(STEP_BYTES);
    count.givenBack += given;
    if (given === 0) break;
  }
  return count;
}

const NOTHING = {
  events: 0,
  quarantine: 0,
  deliveries: 0,
  discarded: 0,
  bytes: 0,
  waiting: 0,
  held: 0,
  givenBack: 0,
};

/** Prunes whole days at once where a store can. Returns false when the run was ended. */
async function pruneDays(
  { store, clock }: PruneDeps,
  before: number,
  step: PruneOptions['step'],
  count: PruneCount & { events: number; bytes: number; givenBack: number },
): Promise<boolean> {
  if (store.pruneDay === undefined) return true;
  for (let after: number | null = null; ;) {
    if (!(await step(count))) return false;
    const request = { before, after, now: clock.now(), step: () => step(count) };
    const pruned: PrunedDay | null = await store.pruneDay(request);
    if (pruned === null) return true;
    count.events += pruned.events;
    count.bytes += pruned.bytes;
    count.givenBack += pruned.givenBack;
    after = pruned.day;
  }
}

/** Prunes a page of events. Returns the first of them that stayed all the same; Infinity when none did. */
async function pruneEvents(
  { store, machines, clock }: PruneDeps,
  page: PrunableEvents,
  before: number,
  dryRun: boolean,
  count: { events: number; bytes: number; waiting: number },
): Promise<number> {
  count.waiting += page.waiting;
  if (dryRun) {
    count.events += page.rows.length + page.folded.reduce((sum, { events }) => sum + events.length, 0);
    count.bytes += page.bytes;
    return Infinity;
  }
  let firstKept = Infinity;
  const done = (wanted: readonly number[], pruned: { readonly events: number; readonly bytes: number }) => {
    count.events += pruned.events;
    count.bytes += pruned.bytes;
    count.waiting += wanted.length - pruned.events;
    if (pruned.events < wanted.length) firstKept = Math.min(firstKept, ...wanted);
  };
  const now = clock.now();
  if (page.rows.length > 0)
    await inHalves(page.rows, async (events) => {
      done(events, await store.pruneEvents({ events, machines: [], bases: [], before, now }));
    });
  for (const folded of page.folded)
    done(folded.events, await pruneFolded({ store, machines, clock }, folded, before));
  return firstKept;
}

/** On a full disk, a step may need more room for its log than there is: its halves need less. */
async function inHalves(
  rows: readonly number[],
  act: (rows: readonly number[]) => Promise<void>,
): Promise<void> {
  try {
    await act(rows);
  } catch (error) {
    if (!PortariaError.is(error, 'store-full') || rows.length <= 1) throw error;
    const middle = Math.ceil(rows.length / 2);
    await inHalves(rows.slice(0, middle), act);
    await inHalves(rows.slice(middle), act);
  }
}

/** Prunes events of a subject that machines have folded, with the state that they leave. */
async function pruneFolded(
  { store, machines, clock }: PruneDeps,
  folded: FoldedEvents,
  before: number,
): Promise<{ readonly events: number; readonly bytes: number }> {
  try {
    const bases = await basesBeforePruning(machines, folded, store);
    const { events, machines: names } = folded;
    return await store.pruneEvents({ events, machines: names, bases, before, now: clock.now() });
  } catch (error) {
    // The subject is in use. Its events stay until the next run.
    if (!PortariaError.is(error, 'machine-conflict')) throw error;
    return { events: 0, bytes: 0 };
  }
}
