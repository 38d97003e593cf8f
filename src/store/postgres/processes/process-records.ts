import { sql } from 'kysely';
import type { HandlerProcess, KnownDefinition, Processes } from '../../processes.ts';
import {
  definitionsOf,
  processesOf,
  type DefinitionRow,
  type ProcessRow,
} from '../../rows/process-record.ts';
import { isLive } from '../database/connections/lease.ts';
import type { Connection } from '../sql/connection.ts';
import { insertOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** The records of processes, each with the lease of its process: a record without a living lease is of no process. */
export function createProcessRecords({ transact, read, lease }: Connection): Processes {
  let registered: HandlerProcess | undefined;
  lease?.listen({
    async afterLoss() {
      const process = registered;
      if (process !== undefined) await transact(({ session }) => record(session, process, lease.holder()));
    },
  });

  return {
    async registerProcess(process, definitions) {
      registered = process;
      await transact(async ({ session }) => {
        await removeEnded(session);
        await record(session, process, lease?.holder() ?? null);
        await replaceDefinitions(session, definitions);
      });
    },
    async unregisterProcess(id) {
      if (registered?.id === id) registered = undefined;
      await transact(({ session }) => session.run(sql`delete from processes where id = ${id}`));
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
    async knownDefinitions() {
      return definitionsOf(
        await read.rows(
          sql<DefinitionRow>`
            select type, source, name, origin, hash from known_definitions order by type, source, name`,
        ),
      );
    },
  };
}

async function removeEnded(session: Session): Promise<void> {
  await session.run(sql`
    delete from processes where not exists (select from leases where leases.holder = processes.holder)`);
}

async function record(session: Session, process: HandlerProcess, holder: number | null): Promise<void> {
  const { id, host, pid, version, startedAt, handlers } = process;
  await session.run(sql`
    insert into processes (id, host, pid, version, started_at, handlers, holder)
    values (${id}, ${host}, ${pid}, ${version}, ${startedAt}, ${JSON.stringify(handlers)}, ${holder})
    on conflict (id) do update set holder = excluded.holder`);
}

/** One process after the other: two that start together would store what neither of them knows. */
async function replaceDefinitions(session: Session, definitions: readonly KnownDefinition[]): Promise<void> {
  await session.run(sql`lock table known_definitions in share row exclusive mode`);
  await session.run(sql`delete from known_definitions`);
  await session.run(sql`
    ${insertOf('known_definitions', definitions, {
      type: ['text', ({ type }) => type],
      source: ['text', ({ source }) => source ?? ''],
      name: ['text', ({ name }) => name],
      origin: ['text', ({ origin }) => origin],
      hash: ['text', ({ hash }) => hash],
    })}
    on conflict do nothing`);
}
