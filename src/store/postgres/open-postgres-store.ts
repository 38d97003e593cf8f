/** Opens a store in PostgreSQL, and puts its methods together. */
import type pg from 'pg';
import type { DataOf } from '../../event/stored-event.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { addressWithoutPassword } from '../../kernel/postgres-address.ts';
import type { Random } from '../../kernel/random.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { createRecognize } from '../shared/events/recognize.ts';
import { createIds } from '../shared/ids.ts';
import { createJobSteps } from '../shared/jobs/job-steps.ts';
import { createCountReplayEvents } from '../shared/replays/count-replay-events.ts';
import { createSharedReads, createSharedWrites } from '../shared/methods.ts';
import { joinedMethods } from '../shared/joined-methods.ts';
import { DEFAULT_QUARANTINE_BYTES } from '../shared/quarantine/quarantine-quota.ts';
import { checkFindings } from '../checks.ts';
import type { Inbox } from '../inbox.ts';
import { arrivedEvent } from '../shared/events/arrival.ts';
import type { OnStoreWarning, Store, StoreRole } from '../store.ts';
import { createSessionReads } from '../shared/audit/ended-sessions.ts';
import { createClient } from './database/connections/client.ts';
import { createHealth } from './database/connections/health.ts';
import { createInbox } from './events/inbox.ts';
import { recognitionParts } from './events/recognition-parts.ts';
import { checkStore } from './database/checks/check-store.ts';
import { acquireLease } from './database/connections/lease.ts';
import { createDatabaseClock, readDatabaseClock } from './database/connections/database-clock.ts';
import { requireNoCopy } from './database/tables/copy-marks.ts';
import { readSchemaLevel } from './database/tables/schema-level.ts';
import { migrate } from './database/tables/migrate.ts';
import { createPools, LONG_READ_TIMEOUT_MS, RESPONSE_TIMEOUT_MS } from './database/connections/pools.ts';
import { findOrDrawStoreId, formerStoreIds } from './database/identity/renew-store-id.ts';
import { createNotifications } from './database/connections/notifications.ts';
import { recogniseServer, requireSameDatabase } from './database/identity/known-server.ts';
import { dangerOf, isWithoutPooler, requireRights, requireServer } from './database/checks/require-server.ts';
import { retryingLocks } from './database/connections/lock-waits.ts';
import { storeError, withStoreErrors } from './database/connections/store-error.ts';
import {
  ACCEPTING_SETTINGS,
  BY_INDEX,
  createTransact,
  waitingForDisk,
  type Transact,
} from './database/connections/transaction.ts';
import { createLaneReads } from './deliveries/lane-overview.ts';
import { createLaneQueue } from './deliveries/lane-queue.ts';
import { createEventReads, createPredict } from './events/event-reads.ts';
import { createScanEvents } from './events/scan-events.ts';
import { createFillReconciled } from '../shared/events/fill-reconciled.ts';
import { createResolveAmbiguity } from '../shared/events/resolve-ambiguity.ts';
import { tryAccepting } from './events/try-accepting.ts';
import { createStoredEvents } from './events/stored-events.ts';
import { createSubjectReads } from './events/subject-reads.ts';
import { createJobParts } from './jobs/job-parts.ts';
import { createStateCommit } from './machines/commit-machine.ts';
import { createFoldReads } from '../shared/machines/machine-reads.ts';
import { createVersionOrder } from './machines/version-order.ts';
import { createMonitoring } from './monitoring/own-monitoring.ts';
import { createPausePointReads, createPauseReads, createPauseWrites } from '../shared/pauses/pauses.ts';
import { createRateWrites } from '../shared/rates/rates.ts';
import { createAcknowledgements, forgetAcknowledgements } from './pauses/acknowledgements.ts';
import { postgresContents, erasureParts } from './privacy/content-tables.ts';
import { readErasureKey } from './privacy/keyed-digest.ts';
import { createOneErasure } from './privacy/one-erasure.ts';
import { createProcessRecords } from './processes/process-records.ts';
import { createRetention } from './retention/retention.ts';
import { createQueryBuilder, type Connection } from './sql/connection.ts';
import { postgresDialect } from './sql/dialect.ts';
import { readingAtOnce, transacted } from './sql/perform.ts';
import { createSession } from './sql/session.ts';
import { createStatementNames } from './sql/statement-names.ts';
import { createMergingTransact } from './statistics/merge-counts.ts';
import { createStatistics } from '../shared/statistics/read-statistics.ts';
import { ownNumbers } from './statistics/own-numbers.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: string;
  /** The same database without a pooler, for migrations and notifications; `url` by default. */
  readonly directUrl?: string;
  readonly role: StoreRole;
  readonly clock: Clock;
  /** Creates no tables where there are none. */
  readonly mustExist?: boolean;
  /** Draws the store id of a new store. */
  readonly random?: Random;
  /**
   * Called when the store is opened as owner: with a server that may lose what was acknowledged, with a database that was
   * restored or has failed over since the store was last known, and with a pooler without an address past it. Called
   * whenever the difference of this machine's clock to the database's changes.
   */
  readonly onWarning?: OnStoreWarning;
  /** Called once when the database must not be written again: the process should exit. */
  readonly onFatal?: (error: PortariaError) => void;
  /** The maximum bytes of all held entries of the quarantine; 1 GiB by default. */
  readonly maxQuarantineBytes?: number;
  /** Reads the payload of a stored body, by its source; the member `data` by default. */
  readonly dataOf?: DataOf;
}

/**
 * Opens the store in a PostgreSQL database, creates or migrates its tables, and, as owner, acquires a lease to
 * dispatch from it. Any number of owners share a database.
 *
 * @throws PortariaError `store-busy`, `store-locked`, `store-newer`, `store-read-only`, `store-unsupported`, `store-failed`,
 *   and `not-found` for a database without tables that must have them
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const location = addressWithoutPassword(options.url);
  // The server closes idle connections when it restarts; the pools open new ones.
  const pools = createPools(
    { url: options.url, ...(options.role === 'guest' && { readTimeoutMs: LONG_READ_TIMEOUT_MS }) },
    () => undefined,
  );
  try {
    const access = await migrateThrough(options, { location, reading: pools.reading });
    return await assemble(pools, location, { ...options, ...access });
  } catch (error) {
    await pools.end();
    throw storeError(error, location);
  }
}

/** How the database is reached. */
interface Access {
  /** Whether a pooler shares the connections of the server. */
  readonly isPooled: boolean;
  /** The address without a pooler; null when there is none. */
  readonly listenUrl: string | null;
}

async function migrateThrough(
  { url, directUrl = url, role, clock, mustExist = false, onWarning }: PostgresStoreOptions,
  { location, reading }: { readonly location: string; readonly reading: pg.Pool },
): Promise<Access> {
  const client = createClient(directUrl, 'migrate');
  await client.connect();
  try {
    // A migration takes as long as it takes; what comes before it responds at once.
    const query = (config: pg.QueryConfig) =>
      client.query({ ...config, query_timeout: RESPONSE_TIMEOUT_MS.read } as pg.QueryConfig);
    const session = createSession({ query: query as typeof client.query }, createQueryBuilder());
    const isDirect = await isWithoutPooler(client, session);
    if (!isDirect && role === 'owner') onWarning?.(checkFindings.pooler, 'pooler');
    const isPooled = directUrl !== url || !isDirect;
    await requireServer(session, { location, isPooled });
    if (directUrl !== url) await requireSameDatabase(session, createSession(reading, createQueryBuilder()));
    await requireNoCopy(session, location);
    if (mustExist && (await readSchemaLevel(session)).level === 0)
      throw new PortariaError('not-found', `There is no store in ${location}`);
    await migrate(client, clock.now());
    return { isPooled, listenUrl: isDirect ? directUrl : null };
  } finally {
    await client.end();
  }
}

async function assemble(
  pools: ReturnType<typeof createPools>,
  location: string,
  options: PostgresStoreOptions & Access,
): Promise<Store> {
  const {
    role,
    clock,
    onWarning,
    random = Math.random,
    maxQuarantineBytes = DEFAULT_QUARANTINE_BYTES,
  } = options;
  const query = createQueryBuilder();
  const about = { builder: query, location };
  const read = createSession(pools.reading, query);
  const databaseClock = createDatabaseClock(clock, (difference) => onWarning?.(difference, 'clock'));
  await readDatabaseClock(read, databaseClock);
  if (role === 'owner') {
    await requireRights(read, location);
    const danger = await dangerOf(read);
    if (danger !== null) onWarning?.(danger, 'server');
    const history = await recogniseServer(read, clock.now());
    if (history !== null) onWarning?.(history, 'server');
  }
  const storeId = await findOrDrawStoreId(read, clock, random);
  // Drawn before it is needed, so that every backup has the key of later erasures.
  await readErasureKey(read);
  const former = await formerStoreIds(read);
  const lease =
    role === 'owner'
      ? await acquireLease({
          session: createSession(pools.leasing, query),
          clock,
          databaseClock,
          location,
          storeId,
          onFatal: options.onFatal,
        })
      : undefined;
  // A pooler may not know named statements.
  const names = options.isPooled ? {} : { names: createStatementNames() };
  const durable = await waitingForDisk(read);
  const accepting = createTransact(pools.accepting, {
    ...about,
    settings: `${ACCEPTING_SETTINGS}${durable}`,
    ...names,
  });
  // `createTransact` tries a transaction again, `health` notices an outage, merging keeps tables of counts small, and
  // announcing tells other processes of what was stored.
  const trying = (transact: Transact) => transact((transaction) => tryAccepting(connection, transaction));
  const health = createHealth(() => trying(accepting));
  // In a night without a webhook nothing else would fail.
  lease?.listen({ onMissedHeartbeat: health.check });
  const watched = (transact: Transact) => createMergingTransact(health.watchOthers(transact));
  const notifications = createNotifications({
    ...{ url: options.listenUrl, pool: pools.reading, clock, random },
    // What a command stores, any process may wait for.
    hasOthers: () => lease?.hasOthers() ?? true,
  });
  const operating = watched(createTransact(pools.dispatching, { ...about, settings: durable }));
  const transact = role === 'owner' ? operating : notifications.announcing(operating);
  const connection: Connection = {
    query,
    read,
    readAtOnce: readingAtOnce(transact),
    dialect: postgresDialect,
    accept: notifications.announcing(createMergingTransact(health.watchAccepting(accepting))),
    dispatch: watched(
      createTransact(pools.dispatching, { ...about, settings: `${BY_INDEX}${durable}`, ...names }),
    ),
    transact,
    transactLanes: retryingLocks(transact, { location, clock }),
    ids: createIds(storeId, former),
    clock,
    lease,
    limits: { maxQuarantineBytes },
    storeId,
    dataOf: options.dataOf,
  };

  // Dispatching reads through its own pool, so that operators' reads cannot exhaust it.
  const dispatching = { ...connection, read: createSession(pools.dispatching, query) };
  // All processes lock the same few buckets. A crash of the server may forget the calls of its last moment.
  const takingCalls = watched(
    createTransact(pools.dispatching, {
      ...about,
      settings: `${BY_INDEX}; set local synchronous_commit = off`,
      ...names,
    }),
  );
  const inbox = createInbox(connection, location);
  const lanes = createLaneQueue(dispatching, location);

  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all([inbox.close(), lanes.close()]);
    await notifications.end();
    await lease?.end();
    await pools.end();
  }

  return {
    location,
    storeId,
    ...withStoreErrors(
      joinedMethods([
        inbox.inbox,
        storeMethods(connection),
        lanes.queue,
        dispatchMethods(dispatching),
        transacted(takingCalls, createRateWrites(dispatching)),
      ]),
      location,
    ),
    // Errors of the work that it runs are not errors of the store.
    ...createOneErasure(pools.reading, location),
    onForeignChange: (callback) => notifications.onForeignChange(callback),
    healthy: () => health.healthy(),
    checks: (checked) =>
      checkStore(
        {
          ...connection,
          location,
          tryAccepting: () => trying(transact),
          isListening: options.listenUrl !== null,
        },
        checked,
      ),
    close: () => (closed ??= close()),
  };
}

/** The methods of the store, by folder. */
function storeMethods(connection: Connection) {
  const own = ownNumbers(connection);
  return joinedMethods([
    createEventReads(connection),
    createScanEvents(connection),
    createSubjectReads(connection),
    createStoredEvents(connection),
    createLaneReads(connection),
    createStateCommit(connection),
    createVersionOrder(connection),
    createCountReplayEvents(connection, own),
    createPredict(connection),
    createStatistics(connection, own),
    createProcessRecords(connection),
    createMonitoring(connection),
    {
      // PostgreSQL recycles its log by itself; docs/privacy.md says where else earlier content is.
      truncateLog: async () => true,
      erasureKey: () => connection.transact(({ session }) => readErasureKey(session)),
    },
    createRetention(connection),
    createSessionReads(connection),
    transacted(connection.transactLanes, createResolveAmbiguity(connection)),
    transacted(connection.transactLanes, createRecognize(connection, recognitionParts)),
    createFill(connection),
    transacted(connection.transactLanes, createJobSteps(connection, createJobParts(connection))),
    createSharedReads(connection, postgresContents),
    // Not `transactLanes`: a hold would come in between the tries of an erasure.
    transacted(connection.transact, createSharedWrites(connection, erasureParts)),
  ]);
}

function createFill(connection: Connection): Pick<Inbox, 'fillReconciled'> {
  const { fillReconciled } = transacted(
    connection.transactLanes,
    createFillReconciled(connection, { ...erasureParts, ...recognitionParts }),
  );
  return { fillReconciled: (id, webhook, filling) => fillReconciled(id, arrivedEvent(webhook), filling) };
}

function dispatchMethods(dispatching: Connection) {
  return joinedMethods([
    createAcknowledgements(dispatching),
    createPauseReads(dispatching),
    createPausePointReads(dispatching),
    transacted(dispatching.transact, createPauseWrites(dispatching, forgetAcknowledgements)),
    createFoldReads(dispatching),
  ]);
}
