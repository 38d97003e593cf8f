/** The plans of claims, and of the reads of events, subjects and machines, on tables that are not small. */
import { sql } from 'kysely';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { unfinishedOfEvent } from '../../../src/store/shared/deliveries/delivery-conditions.ts';
import { createPausedHeads } from '../../../src/store/postgres/deliveries/paused-heads.ts';
import { BY_INDEX, type Transaction } from '../../../src/store/postgres/database/connections/transaction.ts';
import { headsOfHandlers } from '../../../src/store/postgres/deliveries/lane-heads.ts';
import { firstOf } from '../../../src/store/postgres/deliveries/lanes.ts';
import { createEventReads } from '../../../src/store/postgres/events/event-reads.ts';
import { createScanEvents } from '../../../src/store/postgres/events/scan-events.ts';
import { createSubjectReads } from '../../../src/store/postgres/events/subject-reads.ts';
import { createFoldReads, createMachineReads } from '../../../src/store/shared/machines/machine-reads.ts';
import { postgresDialect } from '../../../src/store/postgres/sql/dialect.ts';
import { createPhaseReads } from '../../../src/store/shared/machines/phase-reads.ts';
import { createDeliveryReads } from '../../../src/store/shared/deliveries/delivery-reads.ts';
import { createUndeliveredReads } from '../../../src/store/shared/replays/undelivered.ts';
import { createEventBefore } from '../../../src/store/shared/machines/version-order.ts';
import { createVersionOrder } from '../../../src/store/postgres/machines/version-order.ts';
import { createQueryBuilder, type Connection } from '../../../src/store/postgres/sql/connection.ts';
import { createSession, type Session } from '../../../src/store/postgres/sql/session.ts';
import { createIds } from '../../../src/store/shared/ids.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

/** 60,000 events of 20,000 subjects, whose latest events are spread over the log. */
const filling = `
insert into subjects (source, family, entity, latest_event)
  select case when i % 50 = 0 then 'branch' else 'default' end,
    (array['company', 'charge', 'ticket', 'violation'])[1 + i % 4], (i / 4)::text, i * 3
  from generate_series(1, 20000) as i;
insert into events (kind, recognized, subject_id, digest_key, digest, version, verdict, flags, received_at)
  select case when i % 2 = 0 then 'company.updated' else 'charge.created' end, 1, (i + 2) / 3, i,
    sha256(i::text::bytea), to_char(i, 'FM00000000'), case when i % 40 = 0 then 'stale' else 'new' end,
    case when i % 100 = 0 then '["check-digits"]' else '[]' end, i * 1000
  from generate_series(1, 60000) as i;
insert into deliveries (event_id, handler, lane_order, lane, status, finished_at)
  select id, 'anyone', 'subject', subject_id, case when id % 1000 = 0 then 'dead' else 'succeeded' end, 1
  from events where id <= 58000;
insert into deliveries (event_id, handler, lane_order, lane, status)
  select id, 'anyone', 'subject', subject_id, 'pending' from events where id > 58000;
insert into machine_states
  (machine, subject_id, state, version, last_event, revision, updated_at, anomalies, phases)
  select machine, subjects.id, '{}', '1', 1, 1, 1, case when subjects.id % 500 = 0 then 3 else 0 end,
    case when subjects.id % 2 = 0 then '[null,"on",null,null]' else '[null,"off",null,null]' end
  from subjects, unnest(array['login', 'slip']) as machine;
insert into pruned_days (day, pruned_at) select day, 1 from generate_series(1, 100) as day;
insert into kept_events select 1 + i / 600, i from generate_series(1, 59999) as i;
insert into anomalies (machine, subject_id, event_id, message)
  select 'login', id, 1, 'odd' from subjects, generate_series(1, 30) where id % 500 = 0`;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

type Explain = (client: pg.Client, text: string, values: unknown[]) => Promise<readonly Plan[]>;
type Explained = pg.QueryResult<{ 'QUERY PLAN': { Plan: Plan }[] }>;

const plansOf = ({ rows }: Explained) => rows.flatMap((row) => row['QUERY PLAN'].map((each) => each.Plan));

/** Returns the plans of a statement for these parameters. */
const explain: Explain = async (client, text, values) =>
  plansOf(await client.query(`explain (format json) ${text}`, values));

/** Returns the plans of a statement that is planned once, for any parameters. */
const explainPlannedOnce: Explain = async (client, text, values) => {
  await client.query(`set plan_cache_mode = force_generic_plan; prepare explained as ${text}`);
  const nulls = values.map(() => 'null').join(', ');
  const explained: Explained = await client.query(`explain (format json) execute explained(${nulls})`);
  await client.query('deallocate explained');
  return plansOf(explained);
};

/** Runs queries, and keeps their plans. */
function explaining(client: pg.Client, plans: Plan[], explained: Explain = explain): Session {
  const builder = createQueryBuilder();
  const runner = {
    async query({ text, values = [] }: pg.QueryConfig) {
      plans.push(...(await explained(client, text, values)));
      return client.query(text, values);
    },
  };
  return createSession(runner as unknown as pg.Client, builder);
}

function scannedTables(plan: Plan): readonly string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scannedTables)];
}

test('reads of events, subjects and machines read no large table whole, whatever few rows they find', async () => {
  const { store, clock } = await openFixture(postgres);
  const client = await rawClient(store);
  await client.query(filling);
  // As autovacuum does: counts then read an index alone.
  await client.query('vacuum analyze');
  const plans: Plan[] = [];
  const query = createQueryBuilder();
  const connection = {
    ...{
      query,
      clock,
      dialect: postgresDialect,
      ids: createIds(store.storeId),
      read: explaining(client, plans),
    },
  } as unknown as Connection;
  const reads = {
    ...createEventReads(connection),
    ...createScanEvents(connection),
    ...createSubjectReads(connection),
    ...createMachineReads(connection),
    ...createFoldReads(connection),
    ...createPhaseReads(connection),
    ...createVersionOrder(connection),
    ...createEventBefore(connection),
    ...createUndeliveredReads(connection),
    ...createDeliveryReads(connection),
  };
  const subject = { family: 'company', id: '7' };
  const company = { company: '1', subjects: [{ source: 'default', subject }] };
  const status = 'dead' as const;
  const none = { kinds: ['none.*'] };
  const scan = (filter: Parameters<typeof reads.countEvents>[0]) =>
    reads.scanEvents({ filter, content: null, limit: 50, maxMs: 0 });
  const newest = { order: 'newest', limit: 50 } as const;
  const oldest = { order: 'oldest', limit: 50 } as const;
  const found: Record<string, readonly string[]> = {};
  const look = async (name: string, read: () => Promise<unknown>) => {
    plans.length = 0;
    await read();
    const scanned = plans.flatMap(scannedTables);
    if (scanned.length > 0) found[name] = scanned;
  };

  await look('newest', () => reads.events({}, newest));
  await look('newest, a later page', () => reads.events({}, { ...newest, after: '30000' }));
  await look('oldest', () => reads.events({}, oldest));
  await look('oldest, a later page', () =>
    reads.events({ kinds: ['company.*'] }, { ...oldest, after: '30000' }),
  );
  await look('of a subject', () => reads.events({ subject }, newest));
  await look('of subjects', () => reads.events(company, oldest));
  await look('by id', () => reads.events({ ids: ['3', '5'] }, oldest));
  await look('of a source', () => reads.events({ source: 'branch' }, newest));
  await look('since a time to come', () => reads.events({ since: 99_000_000 }, newest));
  await look('dead', () => reads.events({ status }, newest));
  await look('pending', () => reads.events({ status: 'pending' }, oldest));
  await look('scan of kinds', () => scan(none));
  await look('scan of a source', () => scan({ source: 'none' }));
  await look('scan of a flag', () => scan({ flag: 'none' }));
  await look('scan of skipped ones', () => scan({ status: 'skipped' }));
  await look('scan of dead ones', () => scan({ status }));
  await look('scan of a subject', () => scan({ subject, ...none }));
  await look('count', () => reads.countEvents(none, { max: 100, maxMs: 0 }));
  await look('subjects', () => reads.subjects({}, { limit: 50 }));
  await look('subjects of a family', () => reads.subjects({ family: 'none' }, { limit: 50 }));
  await look('named subjects', () => reads.subjects({ subjects: company.subjects }, { limit: 50 }));
  await look('trail', () => reads.subjectTrail(subject));
  await look('history', () => reads.versionOrder({ source: 'default', subject }));
  await look('event before', () => reads.eventBefore('default', subject, '50000'));
  await look('state', () => reads.machineState('login', 'default', subject));
  await look('states', () => reads.listMachineStates({ limit: 50 }));
  await look('states of a subject', () => reads.listMachineStates({ subject, limit: 50 }));
  await look('states with anomalies', () => reads.listMachineStates({ anomalous: true, limit: 50 }));
  await look('machines', () => reads.machineNames());
  await look('phases', () => reads.phaseCounts('login'));
  await look('states in a phase', () =>
    reads.statesInPhase({ machine: 'login', phase: 'on' }, { limit: 50 }),
  );
  await look('anomalies', () => reads.anomalies('login', 'default', subject, 50));
  await look('undelivered', () => reads.undelivered(['anyone', 'none'], 1000));
  await look('deliveries of a company', () => reads.deliveries(company, newest));
  await look('dead deliveries of a company', () => reads.deliveries({ ...company, status }, oldest));
  await look('latest anomalies', () => reads.latestAnomalies('login', 5));

  // Of few rows: the server's databases, repeats and pruned days, of which there are none.
  const small = ['pg_database', 'event_repeats', 'pruned_days'];
  const large = Object.entries(found).flatMap(([name, tables]) =>
    tables.filter((table) => !small.includes(table)).map((table) => `${name}: ${table}`),
  );
  expect(large).toEqual([]);
});

test('the first delivery of a lane is found by its lane, although nothing waited when the table was analyzed', async () => {
  const { store } = await openFixture(postgres);
  const client = await rawClient(store);
  const deliveries = (status: string, finishedAt: string, from: number, to: number) => `
    insert into deliveries (event_id, handler, lane_order, lane, status, finished_at)
    select i, 'anyone', 'subject', i, '${status}', ${finishedAt} from generate_series(${String(from)}, ${String(to)}) as i`;
  await client.query(deliveries('succeeded', '1', 1, 20_000));
  await client.query('vacuum analyze deliveries');
  await client.query(deliveries('pending', 'null', 20_001, 22_000));
  const plans: Plan[] = [];
  const session = explaining(client, plans);

  await session.rows(sql`
    select first.* from unnest(array[20001, 20002]) as lanes (lane)
    cross join lateral (${firstOf(sql`'anyone'`, sql`lanes.lane`)}) as first`);
  await client.query('set enable_seqscan = off');
  await session.rows(sql`select min(event_id) from deliveries where ${unfinishedOfEvent}`);

  expect(plans.flatMap(usedIndexes)).toEqual(['deliveries_waiting', 'deliveries_unfinished']);
});

test.each(['none was', 'all were'])(
  'a claim, planned once, reads due heads in the order of their index, although %s due when the table was analyzed',
  async (due) => {
    const { store } = await openFixture(postgres);
    const client = await rawClient(store);
    const heads = `
      insert into deliveries (event_id, handler, lane_order, lane, status, head, due_at, asked_at)
      select i, 'anyone', 'subject', i, 'pending', 1, i, i from generate_series(1, 20000) as i`;
    if (due === 'all were') await client.query(heads);
    await client.query('vacuum analyze deliveries');
    if (due === 'none was') await client.query(heads);
    await client.query(BY_INDEX.replaceAll('set local', 'set'));
    const plans: Plan[] = [];

    const found = await headsOfHandlers(explaining(client, plans, explainPlannedOnce), {
      ...{ handlers: ['anyone', 'other'], now: 10_000, locked: false },
      most: { due: 3, later: 1 },
    });

    expect(found.heads.map(({ delivery_id: id }) => Number(id))).toEqual([1, 2, 3, 10_001]);
    expect(plans.flatMap(usedIndexes)).toEqual(['pause_changes_pkey', 'deliveries_due', 'deliveries_due']);
    expect(plans.flatMap(nodeTypes)).not.toContain('Sort');
  },
);

test('the end of a pause reads parked heads once, although none was parked when the table was analyzed', async () => {
  const { store, clock } = await openFixture(postgres);
  const client = await rawClient(store);
  await client.query(`
    insert into deliveries (event_id, handler, lane_order, lane, status, finished_at)
    select i, 'anyone', 'subject', i, 'succeeded', 1 from generate_series(1, 20000) as i`);
  await client.query('vacuum analyze deliveries');
  await client.query(`
    insert into deliveries (event_id, handler, lane_order, lane, status, head, due_at, asked_at)
    select i, 'anyone', 'subject', i, 'pending', 2, 1, 1 from generate_series(20001, 22000) as i`);
  const plans: Plan[] = [];
  const session = explaining(client, plans);
  const heads = createPausedHeads(clock);
  heads.searchAgain();

  await heads.unparkStep((work) => work({ session } as unknown as Transaction), clock.now());

  const { rows } = await client.query<{ parked: string }>(
    'select count(*) as parked from deliveries where head = 2',
  );
  expect(rows).toEqual([{ parked: '0' }]);
  // A join would run the statement that locks the rows again for each of them.
  expect(plans.flatMap(nodeTypes).filter((type) => type.includes('Join') || type === 'Nested Loop')).toEqual(
    [],
  );
});

function nodeTypes(plan: Plan): readonly string[] {
  return [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodeTypes)];
}

function usedIndexes(plan: Plan): readonly string[] {
  const own = plan['Index Name'] === undefined ? [] : [plan['Index Name']];
  return [...own, ...(plan.Plans ?? []).flatMap(usedIndexes)];
}
