import { sql } from 'kysely';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../../testing/manual-clock.ts';
import { createQueryBuilder } from '../../sql/connection.ts';
import { createStatementNames } from '../../sql/statement-names.ts';
import { createTransact, lettingGo, unawaited } from './transaction.ts';

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
  await transact(async ({ session }) => {
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
  const work = transact(({ session }) => {
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
  )(({ session }) => {
    late = Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => session.run(sql`late`));
    unawaited(late);
    return Promise.resolve();
  });
  await expect(late).rejects.toThrow('after the commit');
  expect(sent).not.toContain('late');
});

test.each(['26000', '42P05', '0A000'])(
  'statements have no names any more once a name is of no use (%s), and no write is lost',
  async (code) => {
    const names: (string | undefined)[] = [];
    const { pool } = poolOf((text, name) => {
      if (text !== 'write') return undefined;
      names.push(name);
      if (name !== undefined) throw failed(code);
      return { rows: [], rowCount: 1, command: 'INSERT' };
    });
    const transact = createTransact(pool, { ...about, names: createStatementNames() });
    const write = () => transact(({ session }) => session.run(sql`write`));
    expect(await Promise.all([write(), write()])).toEqual([1, 1]);
    expect(await write()).toBe(1);
    const named = names.filter((name) => name !== undefined);
    expect(named.length).toBeLessThanOrEqual(2);
    expect(new Set(named).size).toBe(1);
    expect(names.at(-1)).toBeUndefined();
  },
);

describe('work that locks many lanes', () => {
  function openLocked(tries: number) {
    let failures = 0;
    const { pool, sent } = poolOf((text) => {
      if (text !== 'lock' || failures === tries) return undefined;
      failures += 1;
      clock.advance(1_000);
      throw failed('55P03');
    });
    const clock = manualClock();
    const transact = lettingGo(createTransact(pool, about), { location: about.location, clock });
    const run = () => transact(({ session }) => session.run(sql`lock`));
    const waits = () => sent.flatMap((text) => /^set local lock_timeout = '(\d+)ms'$/u.exec(text)?.[1] ?? []);
    return { run, sent, waits };
  }

  test('lets go of all locks while one of them is taken, and waits longer each time', async () => {
    const { run, sent, waits } = openLocked(5);

    await run();

    expect(waits()).toEqual(['200', '400', '800', '1600', '1600', '1600']);
    expect(sent.filter((text) => text === 'rollback')).toHaveLength(5);
  });

  test('fails when a lock stays taken', async () => {
    const { run, waits } = openLocked(Infinity);

    await expect(run()).rejects.toMatchObject({
      code: 'store-busy',
      message: expect.stringContaining('look for sessions that are idle in a transaction'),
    });

    expect(waits()).toHaveLength(10);
  });
});
