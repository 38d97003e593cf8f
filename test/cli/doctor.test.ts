import { chmodSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from './kit/cli-environment.ts';

describe('doctor', () => {
  test('judges kinds by the definitions of now, as contract drift does', async () => {
    const cli = cliEnvironment();
    await cli.seed([{ type: 'company.archived', data: { id: 7 } }]);
    const kinds = async () =>
      (await cli.run('doctor', '--json')).rows.find(({ name }) => name === 'unknown kinds')?.['detail'];
    expect(await kinds()).toBe(
      '1 kind outside the contract has arrived (`portaria contract drift` names it)',
    );

    const defined = await cli.run('contract', 'drift', '--out', 'handlers/archived.ts');
    expect(defined.code).toBe(0);

    const { rows } = await cli.run('contract', 'drift', '--json');
    expect(rows.filter(({ difference }) => difference === 'unknown-kind')).toEqual([]);
    expect(await kinds()).toBe(
      'no kind outside the contract has arrived; events of 1 kind came before it was defined (`portaria events recognize --plan`)',
    );
  });

  test('passes without a database, asks whether it is the right one, and creates none', async () => {
    const cli = cliEnvironment();
    const { code, rows, out } = await cli.run('doctor', '--json');
    expect(code).toBe(0);
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['portaria', 'node', 'clock', 'settings', 'database', 'handlers']),
    );
    expect(out).toContain(
      'does not exist yet; `portaria serve` creates it, or PORTARIA_DATABASE names the right one',
    );
    expect((await cli.run('doctor', '--strict')).code).toBe(6);
    expect((await cli.run('stats')).code).toBe(3);
  });

  test('given a database, checks durability, disk, clock and deliveries', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    const { code, rows } = await cli.run('doctor', '--json');
    expect(rows.filter(({ ok }) => ok !== true)).toEqual([]);
    expect(code).toBe(0);
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'sqlite',
        'journal',
        'synchronous',
        'integrity',
        'disk',
        'reserve',
        'clock and log',
        'deliveries',
      ]),
    );
    const { out } = await cli.run('doctor');
    expect(out).toMatch(/^ok +synchronous +full/m);
    expect(out).not.toMatch(/^FIX/m);
  });

  test('shows file modes, and warns about the modes that it has corrected', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    chmodSync(cli.database, 0o644);
    const service = join(cli.folder, 'data', 'provider.db');
    await cli.run('provider', 'keys', 'create', 'Serra Azul');
    chmodSync(service, 0o640);

    const { code, rows } = await cli.run('doctor', '--json');

    expect(code).toBe(1);
    const found = rows.filter(({ name }) => name === 'file' || name === 'provider file');
    expect(found.map(({ ok, detail }) => [ok, detail])).toEqual([
      [true, expect.stringMatching(/^other users could open portaria\.db \(0644\).*now only the owner/)],
      [
        true,
        `${cli.database} (0600), portaria.db-wal (0600), portaria.db-shm (0600), portaria.db.lock (0600), portaria.db.reserve (0600)`,
      ],
      [false, `${service} (0640) can be read by others: chmod 600 ${service}`],
    ]);
  });

  test('passes beside a running serve', async () => {
    const cli = cliEnvironment();
    const { terminal, ended } = cli.begin(['serve']);
    await terminal.printed('operators');
    expect((await cli.run('doctor')).code).toBe(0);
    terminal.interrupt();
    await ended;
  });

  test('prints a line with a remedy for each invalid setting', async () => {
    const cli = cliEnvironment();
    cli.env['PORTARIA_PORT'] = 'eighty';
    cli.env['PORTARIA_VERIFY'] = 'token';
    const { code, out } = await cli.run('doctor');
    expect(code).toBe(1);
    expect(out.match(/^FIX +settings/gm)).toHaveLength(2);
    expect(out).toMatch(/^ok +node/m);
  });

  test('prints a line for a handler that does not load, and runs the other checks', async () => {
    const cli = cliEnvironment({ broken: 'export default' });
    await cli.seed([]).catch(() => undefined);
    const { code, out } = await cli.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +handlers +.*broken\.mjs/m);
  });

  test('prints a line for a file that is not a database', async () => {
    const cli = cliEnvironment();
    writeFileSync(cli.database, 'not a database, but long enough to be taken for one'.repeat(100));
    const { code, out } = await cli.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +database/m);
  });

  test('given a database with a second name, says what to do', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    linkSync(cli.database, join(cli.folder, 'alias.db'));
    cli.env['PORTARIA_DATABASE'] = join(cli.folder, 'alias.db');

    const { code, out } = await cli.run('doctor');

    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +database .*alias\.db has 2 names \(hard links\).*remove the other names/m);
    expect((await cli.run('serve')).err).toContain('has 2 names');
  });

  test('fails when an event is in the future: the clock was set back', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)], { receivedAt: cli.clock.now() + 3_600_000 });
    const { code, out } = await cli.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +clock and log/m);
  });

  test('fails when the database cannot be created', async () => {
    const cli = cliEnvironment();
    writeFileSync(join(cli.folder, 'a-file'), '');
    cli.env['PORTARIA_DATABASE'] = join(cli.folder, 'a-file', 'portaria.db');
    const { code, out } = await cli.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +database/m);
  });
});

describe('given pending deliveries of handlers that are gone', () => {
  const handler = (name: string) =>
    `export default defineHandler({ name: '${name}', on: 'traffic-violation.*', handle() {} });`;

  async function cliWithoutHandlers() {
    const cli = cliEnvironment({ mail: handler('mail'), print: handler('print'), stays: handler('stays') });
    await cli.seed([violation(1), violation(2)]);
    rmSync(join(cli.handlersFolder, 'mail.mjs'));
    rmSync(join(cli.handlersFolder, 'print.mjs'));
    return cli;
  }

  const warning =
    /pending deliveries wait for handlers that are not registered: mail \(2\), print \(2\); register them again under these names .*`portaria deliveries discard --handler mail --reason \\?"…\\?"`/;

  test('doctor warns, and names them', async () => {
    const cli = await cliWithoutHandlers();

    const { code, rows } = await cli.run('doctor', '--json');

    expect(code).toBe(0);
    expect(rows.filter(({ warning }) => warning)).toEqual([
      {
        name: 'deliveries',
        state: 'warning',
        ok: true,
        warning: true,
        detail: expect.stringMatching(warning) as string,
      },
    ]);
  });

  test('doctor needs attention for each while a process serves, which does not have them', async () => {
    const cli = await cliWithoutHandlers();
    const { terminal, ended } = cli.begin(['serve']);
    await terminal.printed('not registered');

    const { rows } = await cli.run('doctor', '--json');
    terminal.interrupt();
    await ended;

    expect(rows.filter(({ name }) => name === 'unregistered-handlers')).toMatchObject(
      ['mail', 'print'].map((name) => ({
        state: 'attention',
        detail: expect.stringContaining(
          `2 pending deliveries wait for handler ${name}, which is not registered; register it again`,
        ) as string,
      })),
    );
    expect(rows.filter(({ warning }) => warning)).toEqual([]);
  });

  test('serve logs one warning when it starts, and runs the others', async () => {
    const cli = await cliWithoutHandlers();

    const { terminal, ended } = cli.begin(['serve']);
    await terminal.printed('not registered');
    terminal.interrupt();
    await ended;

    expect(terminal.written.out.match(/not registered/g)).toHaveLength(1);
    expect(terminal.written.out).toMatch(warning);
  });
});

describe('contract', () => {
  test('prints JSON Schema of every kind, or of one kind', async () => {
    const cli = cliEnvironment();
    const all = JSON.parse((await cli.run('contract')).out) as { oneOf: unknown[] };
    expect(all.oneOf).toHaveLength(32);
    const one = JSON.parse((await cli.run('contract', '--kind', 'charge.created')).out) as object;
    expect(one).toMatchObject({ properties: { type: { const: 'charge.created' } } });
  });

  test('prints AsyncAPI 3, with an example for each kind', async () => {
    const { out } = await cliEnvironment().run('contract', '--format', 'asyncapi');
    const document = JSON.parse(out) as {
      asyncapi: string;
      components: { messages: Record<string, { examples?: unknown[] }> };
    };
    expect(document.asyncapi).toMatch(/^3\./);
    for (const message of Object.values(document.components.messages))
      expect(message.examples).toHaveLength(1);
  });

  test('rejects an unknown kind and suggests the most similar one', async () => {
    const { code, err } = await cliEnvironment().run('contract', '--kind', 'charge.craeted');
    expect(code).toBe(3);
    expect(err).toContain('did you mean charge.created?');
  });
});

describe('doctor with a custom source', () => {
  const shop = `import { defineKind, defineSource, z } from 'portaria';
    export default defineSource('shop', {
      envelope: { type: 'event.name', data: 'event.payload' },
      verify: { scheme: 'hmac', header: 'x-shop-signature', secretsFrom: 'SHOP_SECRETS' },
      kinds: [defineKind('paid', { schema: z.object({ id: z.string() }) })],
    });`;

  test('fails without its secrets, on which serve does not start', async () => {
    const cli = cliEnvironment({ shop });
    const { code, rows } = await cli.run('doctor', '--json');
    expect(code).toBe(1);
    expect(rows.filter(({ ok }) => ok !== true)).toMatchObject([
      {
        name: 'verification',
        detail: expect.stringMatching(/^SHOP_SECRETS is not set: source "shop"/) as string,
      },
    ]);
  });

  test('names its verification', async () => {
    const cli = cliEnvironment({ shop });
    const env = { SHOP_SECRETS: 'a-secret-of-the-shop-long-enough' };
    const { code, out } = await cli.begin(['doctor', '--json'], { env }).ended;
    expect(out).toContain('"shop: hmac"');
    expect(code).toBe(0);
  });

  test('says what the webhooks of a source that is observed would have passed', async () => {
    const cli = cliEnvironment({ shop });
    const hour = Math.floor(cli.clock.now() / 3_600_000);
    const counted = (scheme: string, webhooks: number) => ({ source: 'default', hour, scheme, webhooks });
    await cli.withStore((store) =>
      store.recordMonitoring({ record: 'observed', observed: [counted('stripe', 118), counted('none', 2)] }),
    );
    const env = { SHOP_SECRETS: 'a-secret-of-the-shop-long-enough', PORTARIA_VERIFY_OBSERVE: 'true' };

    const doctor = await cli.begin(['doctor'], { env, columns: 2_000 }).ended;
    expect(doctor.out).toMatch(
      /^ATTENTION +observed .*: of 120 webhooks in nine days, 118 pass stripe, 2 pass nothing;/mu,
    );
    const stats = await cli.begin(['stats'], { env }).ended;
    expect(stats.out).toMatch(/^default +stripe +118$/mu);
  });

  test('says why its webhooks fail verification, and which setting has its secrets', async () => {
    const cli = cliEnvironment({ shop });
    const rejected = async (lastReason: string, clockSeconds: number | null) => {
      const hour = Math.floor(cli.clock.now() / 3_600_000);
      const rejections = [{ source: 'shop', hour, rejections: 12, lastReason, clockSeconds }];
      await cli.withStore((store) => store.recordMonitoring({ record: 'rejections', rejections }));
      const env = { SHOP_SECRETS: 'a-secret-of-the-shop-long-enough' };
      const json = await cli.begin(['doctor', '--json'], { env }).ended;
      const text = await cli.begin(['doctor'], { env, columns: 2_000 }).ended;
      const { detail } = json.rows.find(({ name }) => name === 'rejections') ?? {};
      expect(text.out).toMatch(/^ATTENTION +rejections/mu);
      expect(text.out).toContain(detail);
      return detail;
    };

    expect(await rejected('mismatch', null)).toMatch(
      /its signature or token did not match \(mismatch\); compare the secret with the sender’s; while it rotates, SHOP_SECRETS may hold/u,
    );
    expect(await rejected('too-new', 3_600)).toContain(
      'the sender’s time was 3600 seconds ahead of this clock (too-new); set both clocks by NTP',
    );
  });
});
