/** Accepts events and rejected deliveries, many in one transaction, and bounds the unknown kinds that are counted. */
import { arrivedEvent, arrivedRejection, type ArrivedRejection } from '../../shared/events/arrival.ts';
import type { Acceptance, Inbox, Moved, Quarantining } from '../../inbox.ts';
import { acceptBatch, type Arrival } from './accept-batch.ts';
import { createContentDays, isMissingDay } from './content-days.ts';
import { subjectKey } from './subjects.ts';
import { SHORT_WAIT_MS } from '../database/connections/lock-waits.ts';
import { sessionOf } from '../database/connections/transaction.ts';
import { createKeyed } from '../privacy/keyed-digest.ts';
import { quarantineDeliveries } from '../quarantine/quarantine.ts';
import type { Connection } from '../sql/connection.ts';
import { createGroupCommit, type Outcome } from '../commit/group-commit.ts';
import { sql } from 'kysely';
import { MAX_COUNTED_KIND, MAX_UNKNOWN_KINDS, OTHER_KINDS } from '../../shared/statistics/count-classes.ts';
import type { Session } from '../sql/session.ts';

/** Transactions of events that run at once: while one waits for the disk, another one is prepared. */
const MAX_TRANSACTIONS = 2;

export interface GroupedInbox {
  readonly inbox: Omit<Inbox, 'fillReconciled'>;
  /** Writes what waits. Later calls reject. */
  close(): Promise<void>;
}

export function createInbox(connection: Connection, location: string): GroupedInbox {
  const { accept: transact, limits, clock } = connection;
  const keyed = createKeyed(sessionOf(transact));
  const days = createContentDays((work) => transact(({ session }) => work(session)));
  const kinds = createCountedKinds(sessionOf(transact));

  async function accept(
    arrivals: readonly Arrival[],
    { waits, requireTimely }: { readonly waits: boolean; readonly requireTimely: () => void },
  ): Promise<readonly Outcome<Acceptance | Moved>[]> {
    const deps = {
      keyed: await keyed(),
      countedAs: (kind: string) => kinds.countedAs(kind),
      waits,
      requireTimely,
    };
    await kinds.admit(arrivals.flatMap(({ event }) => (event.recognized ? [] : [event.kind])));
    const times = arrivals.map(({ event }) => event.delivery.receivedAt);
    const attempt = async () => {
      await days.ensure(times);
      return transact((transaction) => acceptBatch(connection, deps, transaction, arrivals), {
        lockWaitMs: SHORT_WAIT_MS,
        plansOnce: true,
      });
    };
    return attempt().catch((error: unknown) => {
      if (!isMissingDay(error)) throw error;
      days.forget();
      return attempt();
    });
  }

  const events = createGroupCommit<Arrival, Acceptance | Moved>({
    location,
    clock,
    run: accept,
    keyOf: ({ event }) => subjectKey({ source: event.delivery.source, subject: event.subject }),
    bytesOf: ({ event: { delivery } }) => delivery.body.length + delivery.headers.length,
    maxTransactions: MAX_TRANSACTIONS,
  });
  const rejections = createGroupCommit<ArrivedRejection, Quarantining>({
    location,
    clock,
    async run(batch) {
      const key = await keyed();
      return transact(async ({ session }) => {
        const results = await quarantineDeliveries(session, batch, {
          keyed: key,
          maxBytes: limits.maxQuarantineBytes,
        });
        return results.map((value) => ({ value }));
      });
    },
    keyOf: () => '',
    bytesOf: ({ delivery, issues }) => delivery.body.length + delivery.headers.length + issues.length,
    maxTransactions: 1,
  });

  return {
    inbox: {
      // Only who says what was seen is told that it moved.
      accept: (event, routes, options) =>
        events.write({ ...options, event: arrivedEvent(event), routes }) as Promise<Acceptance>,
      acceptUnlessMoved: (event, routes, options) =>
        events.write({ ...options, event: arrivedEvent(event), routes }),
      quarantine: (rejected) => rejections.write(arrivedRejection(rejected)),
    },
    async close() {
      await Promise.all([events.close(), rejections.close()]);
    },
  };
}

/** Decides which unknown kinds have counts of their own: the first 1,000, unless they are too long. */
interface CountedKinds {
  /** Gives kinds counts of their own while there are slots. Called before the transaction that counts them. */
  admit(kinds: readonly string[]): Promise<void>;
  /** Returns the kind to count an event under. */
  countedAs(kind: string): string;
}

/** @param session runs each query by itself: no transaction keeps a slot from the others */
function createCountedKinds(session: Session): CountedKinds {
  const counted = new Set<string>();

  async function read(): Promise<void> {
    const rows = await session.rows(sql<{ kind: string }>`select kind from counted_kinds`);
    for (const { kind } of rows) counted.add(kind);
  }

  async function takeSlot(kind: string): Promise<void> {
    while (!counted.has(kind) && counted.size < MAX_UNKNOWN_KINDS) {
      // Another process may take the same slot, or give the kind another one.
      await session.run(sql`
        insert into counted_kinds (place, kind)
        select place, ${kind} from (select coalesce(max(place), 0) + 1 as place from counted_kinds) as free
        where place <= ${MAX_UNKNOWN_KINDS}
        on conflict do nothing`);
      await read();
    }
  }

  return {
    async admit(kinds) {
      const unknown = new Set(kinds.filter((kind) => kind.length <= MAX_COUNTED_KIND && !counted.has(kind)));
      if (unknown.size === 0 || counted.size >= MAX_UNKNOWN_KINDS) return;
      await read();
      for (const kind of unknown) await takeSlot(kind);
    },
    countedAs: (kind) => (counted.has(kind) ? kind : OTHER_KINDS),
  };
}
