import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliEnvironment } from './kit/cli-environment.ts';
import { readCurl, SECRET, serving } from './kit/serving.ts';

/** A running serve whose test sets the time of each signal. */
async function servingWithClock() {
  const cli = cliEnvironment();
  let now = 0;
  cli.clock.monotonic = () => now;
  const { terminal, ended } = cli.begin(['serve']);
  await terminal.printed('operators');
  const interruptAt = (at: number): void => {
    now = at;
    terminal.interrupt();
  };
  return { terminal, ended, interruptAt };
}

describe('serve', () => {
  test('prints its addresses, its database, the verification and the handlers', async () => {
    const { terminal, database, ended } = await serving();
    expect(terminal.written.out).toMatch(/webhooks +http:\/\/127\.0\.0\.1:\d+\/webhooks/);
    expect(terminal.written.out).toMatch(/operators +http:\/\/127\.0\.0\.1:\d+\//);
    expect(terminal.written.out).toContain(database);
    expect(terminal.written.out).toMatch(/webhooks .*\/webhooks \(not verified\)$/m);
    expect(terminal.written.out).toMatch(/times +local \(UTC([+-]\d\d)?\)/);
    expect(terminal.written.out).toMatch(/handlers +none/);
    terminal.interrupt();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  const shop = `import { defineKind, defineSource, z } from 'portaria';
    const paid = defineKind('paid', { schema: z.object({ id: z.string() }) });
    export const source = defineSource('shop', {
      envelope: ENVELOPE,
      verify: { scheme: 'none' },
      kinds: [paid],
    });
    export default defineHandler({ name: 'book', on: paid, handle: () => undefined });`;

  test('with a custom source alone, starts and shows the command that sends its kind', async () => {
    const file = shop.replace('ENVELOPE', "{ type: 'event.name', data: 'event.payload' }");
    const { terminal } = await serving({}, { handlers: { shop: file } });
    expect(terminal.written.out).toMatch(
      /how book handled this event, paid:\n\n +\S.* send paid --source shop --url http:\S+\/webhooks\/shop\n/,
    );
  });

  test('with a custom source whose envelope functions read, starts and shows an event that is only stored', async () => {
    const file = shop.replace('ENVELOPE', '{ type: () => "paid", data: (body) => body }');
    const { terminal } = await serving({}, { handlers: { shop: file } });
    expect(terminal.written.out).toContain('No handler takes this event, company.login.started');
  });

  test('with a custom kind alone, shows its example as it is', async () => {
    const { terminal, url } = await serving(
      {},
      {
        handlers: {
          kinds: `import { defineKind, z } from 'portaria';
          const paid = defineKind('order.paid', {
            schema: z.object({ id: z.int().min(5) }),
            example: { id: 7 },
          });
          export default defineHandler({ name: 'book', on: paid, handle: () => undefined });
          export const kind = paid;`,
        },
      },
    );
    const { body } = readCurl(terminal.written.out);
    expect(JSON.parse(body)).toEqual({ type: 'order.paid', data: { id: 7 } });
    expect((await fetch(url, { method: 'POST', body })).status).toBe(202);
  });

  test('with --stop-with-parent, stops when the parent process ends', async () => {
    const { terminal, ended } = await serving({}, { flags: ['--stop-with-parent'] });
    terminal.orphan();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  test('without --stop-with-parent, outlives the parent process', async () => {
    const { terminal, url } = await serving();
    terminal.orphan();
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  test('makes a database private that other users can open, and logs it once', async () => {
    const before = cliEnvironment();
    await before.seed([]);
    chmodSync(before.database, 0o644);
    const env = { PORTARIA_DATABASE: before.database };
    const { terminal, ended } = await serving(env);
    terminal.interrupt();
    await ended;

    const warnings = terminal.written.out.match(
      /other users could open portaria\.db \(0644\).*now only the owner can/g,
    );
    expect(warnings).toHaveLength(1);
    expect(statSync(before.database).mode & 0o777).toBe(0o600);
    expect((await serving(env)).terminal.written.out).not.toContain('other users');
  });

  test('lists each source with its address and how its senders are verified', async () => {
    const { terminal } = await serving({
      PORTARIA_SOURCES: JSON.stringify({ fleet: { verify: 'hmac', secrets: ['b7c1d1a9e5f04c22'] } }),
    });
    const lines = terminal.written.out.split('\n');
    const first = lines.findIndex((line) => line.includes('webhooks '));
    expect(lines[first]).toMatch(/^ {2}webhooks +http:\/\/127\.0\.0\.1:\d+\/webhooks \(not verified\)$/);
    expect(lines[first + 1]).toMatch(/^ +http:\/\/127\.0\.0\.1:\d+\/webhooks\/fleet \(verified by hmac\)$/);
  });

  test('prints an address for operators that shows what is there', async () => {
    const { terminal } = await serving();
    const operators = /operators +(\S+)/.exec(terminal.written.out)?.[1] ?? '';
    const index = await fetch(operators);
    expect(index.status).toBe(200);
    const paths = (await index.text()).match(/^\/\S+/gm) ?? [];
    expect(paths).toContain('/api/events');
    for (const path of paths)
      expect([path, (await fetch(new URL(path, operators))).status]).toEqual([path, 200]);
  });

  test('prints an event that a shipped machine handles, and the log says so', async () => {
    const { terminal } = await serving({ PORTARIA_HANDLERS: '' }, { interactive: true });
    expect(terminal.written.out).toContain(
      'Try it. The log says how login-attempt handled this event, company.login.started:',
    );
    const { url, headers, body } = readCurl(terminal.written.out);
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202);
    await terminal.printed('for login-attempt succeeded');
    const lines = terminal.written.out.split('\n').filter((line) => line.startsWith('['));
    expect(lines).toEqual([
      expect.stringMatching(
        /INFO: webhook accepted: status 202 {2}source=default kind=company\.login\.started id=\S+ /,
      ),
      expect.stringMatching(
        /INFO: company\.login\.started \S+ for login-attempt succeeded {2}delivery=d1 attempt=1 /,
      ),
    ]);
  });

  test('prints an event that one of the own handlers takes, or says that none does', async () => {
    const own = "export default defineHandler({ name: 'mine', on: 'charge.updated', handle() {} });";
    const { terminal } = await serving({}, { handlers: { own } });
    expect(terminal.written.out).toContain('how mine handled this event, charge.updated:');
    const none = await serving();
    expect(none.terminal.written.out).toContain(
      'No handler takes this event, company.login.started; it is stored:',
    );
  });

  test('names the program as a shell finds it', async () => {
    const env = { PORTARIA_VERIFY: 'hmac', PORTARIA_SECRETS: 'b7c1d1a9e5f04c22' };
    const bin = mkdtempSync(join(tmpdir(), 'portaria-bin-'));
    onTestFinished(() => {
      rmSync(bin, { recursive: true });
    });
    expect((await serving({ ...env, PATH: bin })).terminal.written.out).toContain('  npx portaria send ');
    writeFileSync(join(bin, 'portaria'), '', { mode: 0o755 });
    expect((await serving({ ...env, PATH: bin })).terminal.written.out).toContain('  portaria send ');
    const npm = { ...env, PATH: `${bin}/node_modules/.bin` };
    expect((await serving(npm)).terminal.written.out).toContain('  npx portaria send ');
  });

  test('shows the token in the curl command on a terminal, never in logs', async () => {
    const env = { PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: "it's-a-secret" };
    const piped = await serving(env);
    expect(piped.terminal.written.out).not.toContain("it's-a-secret");
    expect(piped.terminal.written.out).toContain('"x-webhook-token: ${PORTARIA_SECRETS%%,*}"');
    const shown = await serving({ ...env, PORTARIA_SECRETS: 'plain' }, { interactive: true });
    const { url, headers, body } = readCurl(shown.terminal.written.out);
    expect(headers['x-webhook-token']).toBe('plain');
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202);
  });

  test('given PORTARIA_HOST=0.0.0.0, says so, prints a curl command for loopback and hides the token', async () => {
    const secret = 'b7c1d1a9e5f04c22';
    const env = { PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: secret };
    const { terminal } = await serving(
      { ...env, PORTARIA_OPS_TOKEN: `${secret}-ops` },
      { interactive: true },
    );
    expect(terminal.written.out).toContain('"x-webhook-token: ${PORTARIA_SECRETS%%,*}"');
    expect(terminal.written.out).toMatch(/operators +http:\/\/127\.0\.0\.1:/);
    expect(terminal.written.out).toMatch(
      /webhooks +http:\/\/0\.0\.0\.0:\d+\/webhooks \(verified by token, at every address of this machine\)/,
    );
    expect(terminal.written.out).toMatch(/curl .* http:\/\/127\.0\.0\.1:\d+\/webhooks /);
    expect(terminal.written.out).not.toContain(secret);
  });

  test('never shows a token that comes from a file; send reads the file', async () => {
    const cli = cliEnvironment();
    const file = join(cli.folder, 'secrets');
    writeFileSync(file, 'b7c1d1a9e5f04c22\n');
    const env = { PORTARIA_VERIFY: 'token', PORTARIA_SECRETS_FILE: file };
    const { terminal, url, begin } = await serving(env);
    expect(terminal.written.out).toContain(
      `npx portaria send company.login.started --set data.id=0 --url ${url}`,
    );
    expect(terminal.written.out).not.toContain('b7c1d1a9e5f04c22');
    const { out } = await begin(['send', 'company.login.started', '--set', 'data.id=0', '--url', url], {
      env,
    }).ended;
    expect(out).toMatch(/^202 /);
  });

  test('warns about a weak secret; so does doctor', async () => {
    const env = { PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: 'brief' };
    const warning = 'PORTARIA_SECRETS: secret 1 is shorter than 16 bytes';
    const { terminal, begin } = await serving(env);
    expect(terminal.written.out).toContain(`warning: ${warning}`);
    const { code, out } = await begin(['doctor'], { env }).ended;
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^WARN +settings +${warning}`, 'm'))]);
  });

  test('prints a send command when bodies must be signed', async () => {
    const env = { PORTARIA_VERIFY: 'standard', PORTARIA_SECRETS: SECRET };
    const cli = await serving(env);
    expect(cli.terminal.written.out).toContain(
      `npx portaria send company.login.started --set data.id=0 --url ${cli.url}`,
    );
    const { code, out } = await cli.begin(
      ['send', 'company.login.started', '--set', 'data.id=0', '--url', cli.url],
      { env },
    ).ended;
    expect(out).toMatch(/^202 /);
    expect(code).toBe(0);
  });

  test('prints only JSON when PORTARIA_LOG_FORMAT is json', async () => {
    const { terminal } = await serving({ PORTARIA_LOG_FORMAT: 'json' });
    const lines = terminal.written.out.trimEnd().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('msg');
    expect(terminal.written.out).toContain('"msg":"Portaria is ready"');
  });

  test('a port in use is a misconfiguration, and leaves the database free', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const cli = cliEnvironment();
    cli.env['PORTARIA_PORT'] = String((taken.address() as AddressInfo).port);
    expect(await cli.run('serve')).toMatchObject({ code: 4 });
    await cli.seed([]);
  });

  test('a third signal ends the process at once', async () => {
    const { terminal, ended, interruptAt } = await servingWithClock();
    interruptAt(0);
    interruptAt(1_000);
    expect(terminal.written.out).toContain('stopping at once');
    expect(terminal.exits).toEqual([]);
    interruptAt(2_000);
    expect(terminal.exits).toEqual([130]);
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('counts a Ctrl-C that npm forwards as one signal', async () => {
    const { terminal, ended, interruptAt } = await servingWithClock();
    interruptAt(0);
    interruptAt(1);
    interruptAt(100);
    expect(terminal.exits).toEqual([]);
    expect(await ended).toMatchObject({ code: 0 });
    expect(terminal.written.out).not.toContain('stopping at once');
  });
});
