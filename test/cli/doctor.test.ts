import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';

describe('doctor', () => {
  test('without a database all can be well, and none is made', async () => {
    const world = cliWorld();
    const { code, rows, out } = await world.run('doctor', '--json');
    expect(code).toBe(0);
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['portaria', 'node', 'clock', 'settings', 'database', 'handlers']),
    );
    expect(out).toContain('does not exist yet');
    expect((await world.run('stats')).code).toBe(3);
  });

  test('with one it tells of durability, disk and what waits, each line ok', async () => {
    const world = cliWorld();
    await world.seed([violation(1)]);
    const { code, rows } = await world.run('doctor', '--json');
    expect(rows.filter(({ ok }) => ok !== true)).toEqual([]);
    expect(code).toBe(0);
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'sqlite',
        'journal',
        'synchronous',
        'integrity',
        'disk',
        'clock and log',
        'deliveries',
      ]),
    );
    const { out } = await world.run('doctor');
    expect(out).toMatch(/^ok +synchronous +full/m);
    expect(out).not.toMatch(/^FIX/m);
  });

  test('shows modes, and says what it has mended', async () => {
    const world = cliWorld();
    await world.seed([violation(1)]);
    chmodSync(world.database, 0o644);
    const service = join(world.folder, 'data', 'provider.db');
    await world.run('provider', 'keys', 'create', 'Serra Azul');
    chmodSync(service, 0o640);

    const { code, rows } = await world.run('doctor', '--json');

    expect(code).toBe(1);
    const found = rows.filter(({ name }) => name === 'file' || name === 'provider file');
    expect(found.map(({ ok, detail }) => [ok, detail])).toEqual([
      [
        true,
        expect.stringMatching(/^note: other users could open portaria\.db \(0644\).*now only the owner/),
      ],
      [
        true,
        `${world.database} (0600), portaria.db-wal (0600), portaria.db-shm (0600), portaria.db.lock (0600)`,
      ],
      [false, `${service} (0640) can be read by others: chmod 600 ${service}`],
    ]);
  });

  test('beside a running serve', async () => {
    const world = cliWorld();
    const { terminal, ended } = world.begin(['serve']);
    await terminal.said('operators');
    expect((await world.run('doctor')).code).toBe(0);
    terminal.interrupt();
    await ended;
  });

  test('each mistake of the settings is a line with what to do', async () => {
    const world = cliWorld();
    world.env['PORTARIA_PORT'] = 'eighty';
    world.env['PORTARIA_VERIFY'] = 'token';
    const { code, out } = await world.run('doctor');
    expect(code).toBe(1);
    expect(out.match(/^FIX +settings/gm)).toHaveLength(2);
    expect(out).toMatch(/^ok +node/m);
  });

  test('a handler that does not load is a line; the rest is still looked at', async () => {
    const world = cliWorld({ broken: 'export default' });
    await world.seed([]).catch(() => undefined);
    const { code, out } = await world.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +handlers +.*broken\.mjs/m);
  });

  test('a file that is no database is a line', async () => {
    const world = cliWorld();
    writeFileSync(world.database, 'not a database, but long enough to be taken for one'.repeat(100));
    const { code, out } = await world.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +database/m);
  });

  test('events from the future mean that the clock was set back', async () => {
    const world = cliWorld();
    await world.seed([violation(1)], { receivedAt: world.clock.now() + 3_600_000 });
    const { code, out } = await world.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +clock and log/m);
  });

  test('a database that could not be made says why', async () => {
    const world = cliWorld();
    writeFileSync(join(world.folder, 'a-file'), '');
    world.env['PORTARIA_DATABASE'] = join(world.folder, 'a-file', 'portaria.db');
    const { code, out } = await world.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FIX +database/m);
  });
});

describe('contract', () => {
  test('is JSON Schema of all kinds, or of one', async () => {
    const world = cliWorld();
    const all = JSON.parse((await world.run('contract')).out) as { oneOf: unknown[] };
    expect(all.oneOf).toHaveLength(32);
    const one = JSON.parse((await world.run('contract', '--kind', 'charge.created')).out) as object;
    expect(one).toMatchObject({ properties: { type: { const: 'charge.created' } } });
  });

  test('or AsyncAPI 3, with an example for each kind', async () => {
    const { out } = await cliWorld().run('contract', '--format', 'asyncapi');
    const document = JSON.parse(out) as {
      asyncapi: string;
      components: { messages: Record<string, { examples?: unknown[] }> };
    };
    expect(document.asyncapi).toMatch(/^3\./);
    for (const message of Object.values(document.components.messages))
      expect(message.examples).toHaveLength(1);
  });

  test('an unknown kind is not found, with the nearest one', async () => {
    const { code, err } = await cliWorld().run('contract', '--kind', 'charge.craeted');
    expect(code).toBe(3);
    expect(err).toContain('did you mean charge.created?');
  });
});
