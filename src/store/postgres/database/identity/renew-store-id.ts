/** The store id: read, and drawn anew for a database that was restored (`store renew-id`). */
import { sql } from 'kysely';
import { addressWithoutPassword } from '../../../../kernel/postgres-address.ts';
import { drawUnusedStoreId, drawStoreId, type FormerStoreId } from '../../../shared/ids.ts';
import { renewedStoreId, type LastEvent } from '../../../shared/renewal.ts';
import type { RenewalOptions, RenewedStoreId } from '../../../store.ts';
import { appendAudit } from '../../../shared/audit/audit-writes.ts';
import { createQueryBuilder } from '../../sql/connection.ts';
import { postgresDialect } from '../../sql/dialect.ts';
import { perform } from '../../sql/perform.ts';
import { createSession, type Session } from '../../sql/session.ts';
import { readServerIdentity, recordServer } from './known-server.ts';
import { createPools } from '../connections/pools.ts';
import { storeError } from '../connections/store-error.ts';
import { createTransact, waitingForDisk } from '../connections/transaction.ts';
import { PortariaError } from '../../../../kernel/errors.ts';
import { LEASE_MS, readLiveProcesses } from '../connections/lease.ts';
import type { Random } from '../../../../kernel/random.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';

export interface PostgresRenewal extends RenewalOptions {
  /** The address of a database whose tables this version has migrated. */
  readonly url: string;
  /** Keeps the store id, because no event was lost: only the server is recorded as the known one. */
  readonly keepId: boolean;
}

/**
 * Gives the store a new store id, and records this server as the one on which the store is known.
 *
 * @throws PortariaError `store-locked` while a process serves the store, unless the id is kept
 */
export async function renewInPostgres(options: PostgresRenewal): Promise<RenewedStoreId> {
  const { url, keepId, clock } = options;
  const location = addressWithoutPassword(url);
  const builder = createQueryBuilder();
  const pools = createPools({ url, poolSize: 1 }, () => undefined);
  try {
    const read = createSession(pools.reading, builder);
    const here = await readServerIdentity(read);
    const settings = await waitingForDisk(read);
    const transact = createTransact(pools.dispatching, { builder, location, settings });
    return await transact(async ({ session }) => {
      if (!keepId) {
        // A process that starts meanwhile waits for its lease, and then finds the new id.
        await session.run(sql`lock table leases in share row exclusive mode`);
        await requireNoOwner({ session, location });
      }
      const renewed = await renew(session, options, location);
      await recordServer(session, here, clock.now());
      await perform({ session }, appendAudit(postgresDialect, options.entry(renewed)));
      return renewed;
    });
  } catch (error) {
    throw storeError(error, location);
  } finally {
    await pools.end();
  }
}

async function renew(
  session: Session,
  { keepId, clock, random }: PostgresRenewal,
  location: string,
): Promise<RenewedStoreId> {
  const store = await session.first(sql<{ id: string }>`select installation as id from store for update`);
  const formerStoreId = store?.id ?? '';
  const last = await session.first(
    sql<LastEvent>`select id, received_at as "receivedAt" from events order by id desc limit 1`,
  );
  const former = await formerStoreIds(session);
  const used = [formerStoreId, ...former.map((one) => one.storeId)];
  const storeId = keepId ? formerStoreId : drawUnusedStoreId(used, random);
  if (!keepId && last !== undefined)
    // A second renewal without events in between: no event has the id of the first one.
    await session.run(sql`
      insert into former_store_ids (last_event, store_id, replaced_at) values (${last.id}, ${formerStoreId}, ${clock.now()})
      on conflict (last_event) do nothing`);
  await session.run(sql`update store set installation = ${storeId}`);
  return renewedStoreId({ location, storeId, formerStoreId }, last, former);
}

/**
 * @throws PortariaError `store-locked` while a process has a lease to dispatch
 */
async function requireNoOwner({
  session,
  location,
}: {
  readonly session: Session;
  readonly location: string;
}): Promise<void> {
  const owners = await readLiveProcesses(session);
  const [first] = owners;
  if (first === undefined) return;
  const { host, pid } = first;
  const others = owners.length === 1 ? '' : ` and ${String(owners.length - 1)} more`;
  throw new PortariaError(
    'store-locked',
    `${location} is served by process ${String(pid)} on ${host}${others}: stop them, and try again ` +
      `(one that was killed counts for ${String(LEASE_MS / 1000)} seconds)`,
  );
}

/** Reads the store id, or draws it when the database is opened for the first time. */
export async function findOrDrawStoreId(session: Session, clock: Clock, random: Random): Promise<string> {
  await session.run(sql`
    insert into store (id, installation, created_at) values (1, ${drawStoreId(random)}, ${clock.now()})
    on conflict do nothing`);
  const row = await session.first(sql<{ installation: string }>`select installation from store`);
  return row?.installation ?? '';
}

/** Reads the store ids that were replaced, oldest first. */
export function formerStoreIds(session: Session): Promise<readonly FormerStoreId[]> {
  return session.rows(
    sql<FormerStoreId>`
      select store_id as "storeId", last_event as "lastEvent" from former_store_ids order by last_event`,
  );
}
