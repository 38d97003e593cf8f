import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cliEnvironment } from './kit/cli-environment.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function setUp() {
  const { folder, database, begin } = cliEnvironment();
  const file = join(folder, 'data', 'provider.db');
  const run = (...args: string[]) => begin(['provider', ...args]).ended;
  return { folder, file, receiver: database, begin, run };
}

async function startProvider(setup = setUp(), ...options: readonly string[]) {
  const { terminal, ended } = setup.begin(['provider', '--port', '0', ...options]);
  onTestFinished(async () => {
    terminal.interrupt();
    await ended;
  });
  await Promise.race([terminal.printed('ready'), ended.then(({ err }) => Promise.reject(new Error(err)))]);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(terminal.written.out)?.[0] ?? '';
  return { ...setup, terminal, ended, url };
}

test('prints its URLs and its database file, and stops on a signal', async () => {
  const { terminal, ended, url, file } = await startProvider();

  expect(terminal.written.out).toContain(`${url}/v1`);
  expect(terminal.written.out).toContain(file);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  terminal.interrupt();

  expect(await ended).toMatchObject({ code: 0, err: '' });
  await expect(fetch(`${url}/openapi.json`)).rejects.toThrow('fetch failed');
});

test('prints the control URL, and serves it unless --no-control is given', async () => {
  const { terminal, url } = await startProvider();
  expect(terminal.written.out).toContain(`control    ${url}/control`);
  expect((await fetch(`${url}/control/clock`)).status).toBe(200);

  const closed = await startProvider(setUp(), '--no-control');
  expect(closed.terminal.written.out).not.toContain('/control');
  expect((await fetch(`${closed.url}/control/clock`)).status).toBe(404);
});

test('creates keys beside a running provider, each for its organization', async () => {
  const { url, run } = await startProvider();
  const first = await run('keys', 'create', 'Serra Azul');
  const second = await run('keys', 'create', 'Serra Azul');
  const other = await run('keys', 'create', 'Outra');
  const { rows } = await run('keys', 'create', 'Outra', '--json');
  const ask = (key: string, init: RequestInit = {}) =>
    fetch(`${url}/v1/companies`, {
      ...init,
      headers: { 'x-api-key': key.trim(), 'content-type': 'application/json' },
    });

  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^fdc_[\w-]{43}\n$/)]);
  expect(first.err).toMatch(/cannot be shown again. Widget: wgt_/);
  const body = JSON.stringify({ name: 'A', tax_id: '11222333000181' });
  expect((await ask(first.out, { method: 'POST', body })).status).toBe(201);
  expect(await (await ask(second.out)).json()).toMatchObject({ total: 1 });
  expect(await (await ask(other.out)).json()).toMatchObject({ total: 0 });
  expect(rows).toMatchObject([{ organization: 'Outra', widgets: [expect.stringMatching(/^wgt_/)] }]);
  expect((await ask(String(rows[0]?.['key']))).status).toBe(200);
  expect((await ask('fdc_other')).status).toBe(401);
});

test('adds endpoints to the only organization, or to the named one', async () => {
  const { run } = setUp();
  const add = (...args: string[]) => run('endpoints', 'add', 'http://localhost:8080/webhooks', ...args);

  expect(await add()).toMatchObject({ code: 3, err: expect.stringContaining('no organization yet') });
  await run('keys', 'create', 'Serra Azul');
  expect(await add()).toMatchObject({
    code: 0,
    out: 'Webhooks of Serra Azul go to http://localhost:8080/webhooks\n',
  });
  await run('keys', 'create', 'Outra');
  expect(await add()).toMatchObject({ code: 2, err: expect.stringContaining('Serra Azul, Outra') });
  expect(await add('--organization', 'Outra')).toMatchObject({ code: 0 });
  expect(await add('--organization', 'Nenhuma')).toMatchObject({ code: 3 });
  expect(await add('--organization', 'Outra', '--secret', SECRET)).toMatchObject({
    code: 0,
    out: expect.stringContaining('signed') as string,
  });
  expect((await add('--organization', 'Outra', '--secret', SECRET, '--json')).rows).toEqual([
    { organization: 'Outra', url: 'http://localhost:8080/webhooks', signed: true },
  ]);
  expect(await add('--organization', 'Outra', '--secret', 'whsec_short')).toMatchObject({ code: 2 });
  expect(await add('--organization', 'Outra', '--lanes', '65')).toMatchObject({ code: 2 });
  expect(await add('--organization', 'Outra', '--lanes', '2')).toMatchObject({ code: 2 });
});

test('seeds an organization, and prints what was created and what to do next', async () => {
  const setup = setUp();
  const { run, file } = setup;
  const seed = (...args: string[]) => run('seed', '--companies', '2', '--violations', '30', ...args);

  const { code, out, err } = await seed('--seed', '7', '--key');

  expect(code).toBe(0);
  expect(out).toMatch(/companies +2\n/);
  expect(out).toMatch(/traffic violations +30\n/);
  expect(out).toMatch(/widget +wgt_/);
  expect(out).toContain(file);
  expect(err).toContain('It cannot be shown again');
  const asJson = await seed('--organization', 'Norte', '--key', '--json');
  expect(asJson.rows).toEqual([
    {
      organization: 'Norte',
      database: file,
      widgets: [expect.stringMatching(/^wgt_/)],
      driver_candidate: expect.stringMatching(/^\d{11}$/) as string,
      created: expect.objectContaining({ companies: 2, traffic_violations: 30 }) as object,
      complete: true,
      key: expect.stringMatching(/^fdc_[\w-]{43}$/) as string,
    },
  ]);
  expect(await seed()).toMatchObject({
    code: 2,
    err: expect.stringContaining('--more adds to it') as string,
  });
  expect(await seed('--organization', 'Outra', '--webhooks')).toMatchObject({
    code: 0,
    err: expect.stringContaining('No webhooks were sent') as string,
  });
  const key = /key +(fdc_\S+)/.exec(out)?.[1] ?? '';
  const { url } = await startProvider(setup);
  const companies = await fetch(`${url}/v1/companies`, { headers: { 'x-api-key': key } });
  expect(await companies.json()).toMatchObject({ total: 2 });
});

test("rejects the receiver's file", async () => {
  const { receiver, begin, run } = setUp();
  await begin(['stats', '--database', receiver]).ended;
  const serve = begin(['serve', '--database', receiver]);
  await serve.terminal.printed('ready');
  serve.terminal.interrupt();
  await serve.ended;

  expect(await run('keys', 'create', 'A', '--database', receiver)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not a provider database'),
  });
});

test('rejects the address of another database, without its password', async () => {
  const { run } = setUp();
  const { code, out, err } = await run('keys', 'create', 'A', '--database', 'postgres://me:SECRET@db/x');
  expect(code).toBe(2);
  expect(err).toContain('--database must be the path of an SQLite file');
  expect(out + err).not.toContain('SECRET');
});

test('reports a port that is in use', async () => {
  const { url, begin } = await startProvider();

  const { code, err } = await begin(['provider', '--port', new URL(url).port, '--database', ':memory:'])
    .ended;

  expect(code).toBe(4);
  expect(err).toContain(
    `127.0.0.1, port ${new URL(url).port} is in use by another process; stop it, or set --port`,
  );
});

test.each([
  ['--port', '70000'],
  ['--port', 'x'],
  ['--hots', 'x'],
  ['keys', 'make'],
])('rejects provider %s %s', async (...args) => {
  expect((await setUp().run(...args)).code).toBe(2);
});

test('keeps the former name as a hidden alias', async () => {
  const { begin, file } = setUp();
  const { code, out } = await begin(['service', 'keys', 'create', 'Serra Azul']).ended;
  expect([code, out]).toEqual([0, expect.stringMatching(/^fdc_/)]);
  expect(existsSync(file)).toBe(true);

  const { terminal, ended } = begin(['service', '--port', '0']);
  await terminal.printed('ready');
  terminal.interrupt();
  expect(await ended).toMatchObject({ code: 0, err: '' });

  const help = await begin(['--help']).ended;
  expect(help.out).toMatch(/^ {2}provider /mu);
  expect(help.out).not.toMatch(/service \[/u);
});
