/** Stores and reads which processes run, with their handlers. */
import { sql } from 'kysely';
import type { HandlerProcess, KnownDefinition, Processes, RunningProcess } from '../../processes.ts';
import {
  definitionsOf,
  processesOf,
  recordedDefinitions,
  type DefinitionRow,
  type ProcessRow,
} from '../../shared/process-record.ts';
import { isLive } from '../database/connections/lease.ts';
import type { Connection } from '../sql/connection.ts';
import { insertOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

interface Registered {
  readonly process: HandlerProcess;
  readonly definitions: readonly KnownDefinition[];
}

/** The records of processes, each with the lease of its process: a record without a living lease is of no process. */
export function createProcessRecords({ transact, read, lease }: Connection): Processes {
  let registered: Registered | undefined;
  lease?.listen({
    async afterLoss() {
      const known = registered;
      if (known !== undefined) await transact(({ session }) => record(session, known, lease.holder()));
    },
  });

  return {
    async registerProcess(process, definitions) {
      const known = { process, definitions };
      registered = known;
      await transact(async ({ session }) => {
        await removeEnded(session);
        await record(session, known, lease?.holder() ?? null);
        await keepDefinitions(session, definitions);
      });
    },
    async keepLease(holder) {
      await transact(({ session }) =>
        session.run(sql`update leases set seen_at = clock_timestamp() where holder = ${holder}`),
      );
    },
    async unregisterProcess(id) {
      const ended = registered;
      if (ended?.process.id === id) registered = undefined;
      await transact(async ({ session }) => {
        await session.run(sql`delete from processes where id = ${id}`);
        if (ended?.process.id === id) await keepDefinitions(session, [], ended.definitions);
      });
    },
    leads: () => lease?.leads() ?? false,
    async processes() {
      return processesOf(
        await read.rows(
          sql<ProcessRow>`
            select processes.* from processes join leases on leases.holder = processes.holder
            where ${isLive}
            order by started_at desc, id`,
        ),
      );
    },
    runningProcesses: () => read.rows(running),
    knownDefinitions: () => knownDefinitions(read),
  };
}

/** A process has a lease before it records itself. */
const running = sql<RunningProcess>`
  select leases.host, leases.pid, processes.version, processes.started_at as "startedAt",
    round(extract(epoch from seen_at) * 1000) as "seenAt",
    leases.holder = (select min(holder) from leases) as leads,
    (select count(*) from deliveries where deliveries.holder = leases.holder) as "inFlight"
  from leases left join processes on processes.holder = leases.holder
  where ${isLive}
  order by leases.holder`;

async function removeEnded(session: Session): Promise<void> {
  await session.run(sql`
    delete from processes where not exists (select from leases where leases.holder = processes.holder)`);
}

async function record(
  session: Session,
  { process, definitions }: Registered,
  holder: number | null,
): Promise<void> {
  const { id, host, pid, version, startedAt, handlers } = process;
  await session.run(sql`
    insert into processes (id, host, pid, version, started_at, handlers, definitions, holder)
    values (${id}, ${host}, ${pid}, ${version}, ${startedAt}, ${JSON.stringify(handlers)},
      ${JSON.stringify(definitions)}, ${holder})
    on conflict (id) do update set holder = excluded.holder`);
}

async function knownDefinitions(session: Session): Promise<readonly KnownDefinition[]> {
  return (await definitionsOfProcesses(session)) ?? (await storedDefinitions(session));
}

async function storedDefinitions(session: Session): Promise<readonly KnownDefinition[]> {
  return definitionsOf(
    await session.rows(sql<DefinitionRow>`
      select type, source, name, origin, hash from known_definitions order by type, source, name`),
  );
}

/**
 * Returns what running processes know, each form once; null when none runs. What was stored counts for a process of
 * another version, which may not have recorded what it knows.
 */
async function definitionsOfProcesses(session: Session): Promise<readonly KnownDefinition[] | null> {
  const processes = await session.rows(sql<{ definitions: string | null }>`
    select definitions from processes join leases on leases.holder = processes.holder
    where ${isLive}
    order by leases.holder desc`);
  if (processes.length === 0) return null;
  const recorded = processes.map(({ definitions }) => recordedDefinitions(definitions));
  const stored = recorded.every(({ isWhole }) => isWhole) ? [] : await storedDefinitions(session);
  const all = [...stored, ...recorded.flatMap(({ known }) => known)];
  const forms = new Map(all.map((one) => [formOf(one), one]));
  return [...forms].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, definition]) => definition);
}

const formOf = ({ type, source, name, hash }: KnownDefinition): string =>
  JSON.stringify([type, source ?? '', name, hash]);

/**
 * Stores what is known while no process runs: what those know that run now, and one of each form, at first that of the
 * given definitions.
 *
 * @param otherwise what is known when no process runs
 */
async function keepDefinitions(
  session: Session,
  definitions: readonly KnownDefinition[],
  otherwise: readonly KnownDefinition[] = definitions,
): Promise<void> {
  // One process after the other: two that start together would store what neither of them knows.
  await session.run(sql`lock table known_definitions in share row exclusive mode`);
  const known = [...definitions, ...((await definitionsOfProcesses(session)) ?? otherwise)];
  await session.run(sql`delete from known_definitions`);
  await session.run(sql`
    ${insertOf('known_definitions', known, {
      type: ['text', ({ type }) => type],
      source: ['text', ({ source }) => source ?? ''],
      name: ['text', ({ name }) => name],
      origin: ['text', ({ origin }) => origin],
      hash: ['text', ({ hash }) => hash],
    })}
    on conflict do nothing`);
}
