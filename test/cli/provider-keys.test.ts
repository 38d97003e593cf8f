/** Keys and endpoints of the provider are listed and removed, beside a running provider, too. */
import BetterSqlite3 from 'better-sqlite3';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cliEnvironment } from './kit/cli-environment.ts';

const HOOK = 'http://localhost:8080/webhooks';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function setUp() {
  const { folder, begin } = cliEnvironment();
  const run = (...args: string[]) => begin(['provider', ...args]).ended;
  return {
    begin,
    run,
    file: join(folder, 'data', 'provider.db'),
    create: async (name: string) => (await run('keys', 'create', name)).out.trim(),
  };
}

const lines = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('lists keys by their first characters, and never a whole one', async () => {
  const { run, create } = setUp();
  expect((await run('keys', 'list')).out).toContain('There is no key yet');
  const keys = [await create('Serra Azul'), await create('Outra')];

  const { code, out } = await run('keys', 'list');
  expect(code).toBe(0);
  expect(out).toMatch(/^ORGANIZATION +ID +KEY +CREATED\n/);
  expect(out).toContain(`${String(keys[0]?.slice(0, 10))}…`);

  const rows = lines((await run('keys', 'list', '--json')).out);
  expect(rows).toEqual(
    ['Serra Azul', 'Outra'].map((organization, at) => ({
      organization,
      id: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      prefix: keys[at]?.slice(0, 10),
      created_at: expect.stringMatching(/^\d{4}-/) as string,
    })),
  );
  const outra = await run('keys', 'list', '--json', '--organization', 'Outra');
  expect(lines(outra.out)).toEqual([rows[1]]);
  for (const key of keys) expect(out + outra.out).not.toContain(key);
  expect((await run('keys', 'list', '--organization', 'Nenhuma')).code).toBe(3);
});

test('revokes a key by its id, its first characters or as a whole; a running provider rejects it at once, and no other', async () => {
  const { begin, run, create } = setUp();
  const { terminal, ended } = begin(['provider', '--port', '0']);
  onTestFinished(async () => {
    terminal.interrupt();
    await ended;
  });
  await terminal.printed('ready');
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(terminal.written.out)?.[0] ?? '';
  const other = await create('Serra Azul');
  const ask = async (apiKey: string) =>
    (await fetch(`${url}/v1/companies`, { headers: { 'x-api-key': apiKey } })).status;

  for (const by of ['id', 'prefix', 'key']) {
    const key = await create('Serra Azul');
    const listed = lines((await run('keys', 'list', '--json')).out);
    const row = listed.find(({ prefix }) => key.startsWith(String(prefix)));
    expect([await ask(key), await ask(other)]).toEqual([200, 200]);

    const { code, out } = await run('keys', 'revoke', String({ ...row, key }[by as 'key']));

    expect([code, out]).toEqual([
      0,
      `The key ${String(row?.['id'])} ${String(row?.['prefix'])}… of Serra Azul is revoked\n`,
    ]);
    expect([await ask(key), await ask(other)]).toEqual([401, 200]);
    const again = await run('keys', 'revoke', key);
    expect(again).toMatchObject({ code: 3, err: expect.stringContaining('There is no such key') });
    expect(again.err).not.toContain(key);
  }
});

test('revokes none of several keys that begin alike, and names their ids', async () => {
  const { file, run, create } = setUp();
  await create('A');
  await create('B');
  const sqlite = new BetterSqlite3(file);
  sqlite.exec("update api_keys set prefix = 'fdc_same12'");
  sqlite.close();
  const ids = lines((await run('keys', 'list', '--json')).out).map(({ id }) => String(id));

  const { code, err } = await run('keys', 'revoke', 'fdc_same12…');

  expect(code).toBe(2);
  for (const id of ids) expect(err).toContain(id);
  expect(lines((await run('keys', 'revoke', String(ids[0]), '--json')).out)).toMatchObject([{ id: ids[0] }]);
  expect(lines((await run('keys', 'list', '--json')).out)).toMatchObject([{ id: ids[1] }]);
  expect((await run('keys', 'revoke', 'fdc_')).code).toBe(3);
});

test('lists endpoints without their secrets, and removes them', async () => {
  const { run, create } = setUp();
  await create('Serra Azul');
  expect((await run('endpoints', 'list')).out).toContain('There is no endpoint yet');
  await run('endpoints', 'add', HOOK, '--secret', SECRET, '--lanes', '4');

  const { out } = await run('endpoints', 'list');
  expect(out).toMatch(/^ORGANIZATION +URL +SIGNED +LANES +WAITING +DEAD +CREATED\nSerra Azul +http/);
  const { out: json } = await run('endpoints', 'list', '--json');
  expect(lines(json)).toEqual([
    {
      organization: 'Serra Azul',
      url: HOOK,
      signed: true,
      lanes: 4,
      waiting: 0,
      dead: 0,
      created_at: expect.stringMatching(/^\d{4}-/) as string,
    },
  ]);
  expect(out + json).not.toContain(SECRET);

  expect(await run('endpoints', 'remove', `${HOOK}/other`)).toMatchObject({ code: 3 });
  expect(await run('endpoints', 'remove', HOOK, '--organization', 'Nenhuma')).toMatchObject({ code: 3 });
  expect(await run('endpoints', 'remove', HOOK)).toMatchObject({
    code: 0,
    out: `Webhooks of Serra Azul no longer go to ${HOOK}\n`,
  });
  expect((await run('endpoints', 'list', '--json')).out).toBe('');
});

test('keeps an endpoint with webhooks to send until --discard is given', async () => {
  const { run, create } = setUp();
  await create('Serra Azul');
  await run('endpoints', 'add', HOOK);
  await run('seed', '--companies', '1', '--violations', '10', '--webhooks');
  const [{ waiting } = {}] = lines((await run('endpoints', 'list', '--json')).out);
  expect(waiting).toBeGreaterThan(10);

  expect(await run('endpoints', 'remove', HOOK)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${String(waiting)} webhooks are still to be sent`) as string,
  });
  const removed = await run('endpoints', 'remove', HOOK, '--discard', '--json');

  expect(lines(removed.out)).toEqual([{ organization: 'Serra Azul', url: HOOK, discarded: waiting }]);
});
