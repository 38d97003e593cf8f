import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createQueryBuilder } from '../../sql/connection.ts';
import type { Query } from '../../sql/session.ts';
import { createStatementNames } from '../../sql/statement-names.ts';
import { createTransact } from './transaction.ts';

type Sent = string | { readonly text: string; readonly name?: string };

/** A pool of one connection, which responds to each statement in turn, as PostgreSQL does to pipelined ones. */
function poolOf(respond: (text: string, name: string | undefined) => unknown) {
  const sent: string[] = [];
  const client = {
    on: () => client,
    off: () => client,
    release: () => undefined,
    async query(query: Sent) {
      const { text, name } = typeof query === 'string' ? { text: query, name: undefined } : query;
      sent.push(text);
      await Promise.resolve();
      return respond(text, name) ?? { rows: [], rowCount: 0, command: text.toUpperCase() };
    },
  };
  return { pool: { connect: () => Promise.resolve(client) } as unknown as pg.Pool, sent };
}

const about = { builder: createQueryBuilder(), location: 'postgres://there/db' };

function failed(code: string): Error {
  return Object.assign(new Error('failed'), { code });
}

test('the commit is pipelined after statements that are not awaited', async () => {
  const { pool, sent } = poolOf(() => undefined);
  const transact = createTransact(pool, about);
  await transact(async ({ session, unawaited }) => {
    await session.run(sql`first`);
    unawaited(Promise.all([session.run(sql`second`), session.run(sql`third`)]));
  });
  expect(sent.slice(1)).toEqual(['first', 'second', 'third', 'commit']);
});

test('a transaction fails with a statement that nobody waits for', async () => {
  const { pool } = poolOf((text) => {
    if (text === 'second') throw failed('23505');
    return text === 'commit' ? { command: 'ROLLBACK' } : undefined;
  });
  const transact = createTransact(pool, about);
  const work = transact(({ session, unawaited }) => {
    unawaited(session.run(sql`second`));
    return Promise.resolve('stored');
  });
  await expect(work).rejects.toMatchObject({ message: expect.stringContaining('23505') });
});

test('a commit that PostgreSQL answers with a rollback is an error, also when the failure was caught', async () => {
  const { pool } = poolOf((text) => (text === 'commit' ? { command: 'ROLLBACK' } : undefined));
  const work = createTransact(pool, about)(() => Promise.resolve('stored'));
  await expect(work).rejects.toMatchObject({ code: 'store-failed' });
});

test('no statement is sent behind the commit', async () => {
  const { pool, sent } = poolOf(() => undefined);
  let late: Promise<unknown> = Promise.resolve();
  await createTransact(
    pool,
    about,
  )(({ session, unawaited }) => {
    late = Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => session.run(sql`late`));
    unawaited(late);
    return Promise.resolve();
  });
  await expect(late).rejects.toThrow('after the commit');
  expect(sent).not.toContain('late');
});

test('a statement that cannot be sent fails its transaction, although only the commit waits for it', async () => {
  const { pool, sent } = poolOf(() => undefined);
  const transact = createTransact(pool, about);
  const unsendable: Query = {
    compile() {
      throw new Error('a value that cannot be sent');
    },
  };

  const written = transact(({ session, unawaited }) => {
    unawaited(session.run(unsendable));
    unawaited(session.run(sql`second`));
    return Promise.resolve();
  });

  await expect(written).rejects.toThrow('a value that cannot be sent');
  expect(sent.slice(1)).toEqual(['second', 'rollback']);
});

test('a statement that cannot be built fails its transaction, although only the commit waits for it', async () => {
  const { pool, sent } = poolOf(() => undefined);

  const written = createTransact(
    pool,
    about,
  )(({ unawaited }) => {
    unawaited(Promise.reject(new Error('too long')));
    return Promise.resolve();
  });

  await expect(written).rejects.toThrow('too long');
  expect(sent.slice(1)).toEqual(['rollback']);
});

test.each(['26000', '42P05', '0A000'])(
  'statements have no names any more once a name is of no use (%s), and no write is lost',
  async (code) => {
    const names: (string | undefined)[] = [];
    const { pool } = poolOf((text, name) => {
      if (text !== 'write $1') return undefined;
      names.push(name);
      if (name !== undefined) throw failed(code);
      return { rows: [], rowCount: 1, command: 'INSERT' };
    });
    const transact = createTransact(pool, { ...about, names: createStatementNames() });
    const write = () => transact(({ session }) => session.run(sql`write ${1}`));
    expect(await Promise.all([write(), write()])).toEqual([1, 1]);
    expect(await write()).toBe(1);
    const named = names.filter((name) => name !== undefined);
    expect(named.length).toBeLessThanOrEqual(2);
    expect(new Set(named).size).toBe(1);
    expect(names.at(-1)).toBeUndefined();
  },
);

test('a statement without parameters has no name: its text may be a new one each time', async () => {
  const names: (string | undefined)[] = [];
  const { pool } = poolOf((text, name) => {
    if (text.startsWith('create')) names.push(name);
    return undefined;
  });
  const transact = createTransact(pool, { ...about, names: createStatementNames() });

  await transact(({ session }) => session.run(sql`create table ${sql.ref('day_1')} ()`));

  expect(names).toEqual([undefined]);
});

test('the version of pg is exact, because transactions rely on how it pipelines', () => {
  const manifest = readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(manifest) as { dependencies: Readonly<Record<string, string>> };
  expect(dependencies['pg']).toMatch(/^\d+\.\d+\.\d+$/u);
});
