/** Commands that read stored bodies by the contract, beside a `serve` or an application that knows more. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadHandlers } from '../../src/handle/load/load-handlers.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { cliEnvironment } from './kit/cli-environment.ts';

const SHOP = `
import { defineKind, defineSource, z } from 'portaria';
export const ordered = defineKind('ordered', {
  schema: z.object({ id: z.string(), total: z.number(), buyer: z.string().nullish(), cpf: z.string().nullish() }),
  personal: ['buyer', 'cpf'],
});
export default defineSource('shop', {
  envelope: { type: 'event.name', data: 'event.payload' },
  verify: { scheme: 'none' },
  kinds: [ordered],
});`;

const ARCHIVED = `
import { defineKind, z } from 'portaria';
export default defineKind('company.archived', {
  schema: z.object({ id: z.int(), note: z.string().nullish() }),
  subject: { family: 'company', id: ({ id }) => id },
});`;

const CHARGES = `
import { defineHandler } from 'portaria';
export default defineHandler({ name: 'charges', on: 'charge.updated', handle() {} });`;

const order = {
  event: {
    name: 'ordered',
    payload: { id: 'a1', total: 3, buyer: 'Ana Silva', cpf: '529.982.247-25' },
  },
};

/** A database that a process with these files has served, and a command line without them. */
async function served(files: Readonly<Record<string, string>>, options: { library?: boolean } = {}) {
  const cli = cliEnvironment();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cli.handlersFolder, name), text);
  const config = loadConfig({ ...cli.env, PORTARIA_LOG_LEVEL: 'silent' }, cli.folder);
  const portaria = await createPortaria({
    config: options.library === true ? { ...config, handlersFolder: null } : config,
    clock: { ...systemClock, now: () => cli.clock.now() },
    ...(options.library === true && (await definitionsOf(cli.handlersFolder))),
  });
  onTestFinished(() => portaria.stop());
  await portaria.dispatcher.start();
  const post = async (path: string, body: unknown): Promise<number> => {
    const { status } = await portaria.app.request(`http://localhost${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    return status;
  };
  const without = { PORTARIA_HANDLERS: undefined } as unknown as Record<string, string>;
  return {
    cli,
    post,
    portaria,
    without: (...args: string[]) => cli.begin(args, { env: without }).ended,
    body: () => onlyBody(cli.database),
  };
}

async function definitionsOf(folder: string) {
  const { kinds, sources } = await loadHandlers({ folder, config: { forward: null } });
  return {
    handlers: [],
    kinds: kinds.map(({ definition }) => definition),
    sources: sources.map(({ definition }) => definition),
  };
}

/** The body of the only event, as it is stored. */
function onlyBody(path: string): unknown {
  const database = new BetterSqlite3(path, { readonly: true });
  const bodies = database.prepare<[], Buffer>('select body from events').pluck().all();
  database.close();
  expect(bodies).toHaveLength(1);
  return JSON.parse(bodies[0]!.toString());
}

const ERASE = ['privacy', 'erase', 'cpf:52998224725', '--yes', '--reason', 't'] as const;

test('a person is not erased from bodies of a source that the command does not know', async () => {
  const { cli, post, without, body } = await served({ 'shop.ts': SHOP });
  expect(await post('/webhooks/shop', order)).toBe(202);

  for (const args of [ERASE, ['privacy', 'erase', 'cpf:52998224725', '--dry-run'], ['privacy', 'reapply']]) {
    const { code, err } = await without(...args);
    expect(code, err).toBe(4);
    expect(err).toContain(
      'The process that serves, or served last, knows the source shop, which this command does not: set PORTARIA_HANDLERS as there',
    );
  }
  expect(body()).toEqual(order);

  expect(await cli.run(...ERASE)).toMatchObject({ code: 0 });
  expect(body()).toEqual({
    event: { name: 'ordered', payload: { id: 'a1', total: 3, buyer: null, cpf: null } },
  });
});

test('the record of a process outlives it, and the next start replaces it', async () => {
  const { cli, post, portaria, without } = await served({ 'shop.ts': SHOP, 'archived.ts': ARCHIVED });
  expect(await post('/webhooks/shop', order)).toBe(202);
  await portaria.stop();

  const { code, err } = await without(...ERASE);
  expect(code).toBe(4);
  expect(err).toContain(
    'served last, knows the kind company.archived and the source shop, which this command does',
  );

  const config = loadConfig({ ...cli.env, PORTARIA_LOG_LEVEL: 'silent' }, cli.folder);
  const next = await createPortaria({ config: { ...config, handlersFolder: null } });
  await next.dispatcher.start();
  await next.stop();
  expect(await without(...ERASE)).toMatchObject({ code: 0 });
});

test('a stored body whose envelope nobody knows any more keeps its type, its ids and its other fields', async () => {
  const { cli, post, portaria, without, body } = await served({ 'shop.ts': SHOP });
  expect(await post('/webhooks/shop', order)).toBe(202);
  await portaria.stop();
  await cli.withStore((store) =>
    store.registerProcess({ id: 'next', host: 'h', pid: 1, version: '0', startedAt: 1, handlers: [] }, []),
  );
  expect(await without(...ERASE)).toMatchObject({ code: 0 });
  expect(body()).toEqual({
    event: {
      name: 'ordered',
      payload: { id: 'a1', total: 3, buyer: 'Ana Silva', cpf: '[erased]' },
    },
  });
});

test('a held event of a kind that the command does not know is not released as unrecognized', async () => {
  const { cli, post, without } = await served({ 'archived.ts': ARCHIVED });
  expect(await post('/webhooks', { type: 'company.archived', data: { id: 'x' } })).toBe(422);

  const { code, err } = await without('quarantine', 'release', '--force', '--kind', 'company.archived');
  expect(code).toBe(4);
  expect(err).toContain('set PORTARIA_HANDLERS as there, or use POST /api/quarantine/release');
  expect((await cli.run('quarantine', 'list', '--json')).rows).toMatchObject([{ status: 'held' }]);
});

test('an import does not store events of such a kind as unrecognized', async () => {
  const { cli, without } = await served({ 'archived.ts': ARCHIVED });
  const line = { type: 'company.archived', data: { id: 1 } };
  writeFileSync(join(cli.folder, 'lines.ndjson'), JSON.stringify(line));

  expect(await without('events', 'import', 'lines.ndjson')).toMatchObject({ code: 4 });
  expect((await cli.run('events', 'list', '--json')).rows).toEqual([]);
  expect(await cli.run('events', 'import', 'lines.ndjson')).toMatchObject({ code: 0 });
  expect((await cli.run('events', 'list', '--json')).rows).toMatchObject([{ recognized: true }]);
});

test('an import without a handler of the last serve is refused: its events would never get a delivery', async () => {
  const { cli, portaria, without } = await served({ 'charges.ts': CHARGES });
  await portaria.stop();
  writeFileSync(
    join(cli.folder, 'lines.ndjson'),
    JSON.stringify({ type: 'charge.updated', data: sampleData('charge.updated') }),
  );

  for (const args of [
    ['quarantine', 'release'],
    ['events', 'import', 'lines.ndjson'],
  ]) {
    const { code, err } = await without(...args);
    expect(code, err).toBe(4);
    expect(err).toContain(
      'served last, knows the handler charges, which this command does not: set PORTARIA_HANDLERS as there, or',
    );
  }
  expect((await cli.run('events', 'list', '--json')).rows).toEqual([]);

  const { code, err } = await cli.run('events', 'import', 'lines.ndjson');
  expect(code, err).toBe(0);
  expect(err).toContain('Deliveries: 1 for charges.');
  expect(await without('events', 'import', '--no-handlers', 'lines.ndjson')).toMatchObject({ code: 0 });
});

test('drift does not compare with a contract that lacks kinds, or has others', async () => {
  const { cli, without } = await served({ 'archived.ts': ARCHIVED });
  expect(await without('contract', 'drift')).toMatchObject({ code: 4 });

  // Under other names, because a process loads a file once.
  renameSync(join(cli.handlersFolder, 'archived.ts'), join(cli.folder, 'archived.ts'));
  writeFileSync(join(cli.handlersFolder, 'changed.ts'), ARCHIVED.replace('z.int()', 'z.string()'));
  const { code, err } = await cli.run('contract', 'drift');
  expect(code).toBe(4);
  expect(err).toContain(
    'served last, knows another form of the kind company.archived, which this command does not',
  );
  renameSync(join(cli.handlersFolder, 'changed.ts'), join(cli.folder, 'changed.ts'));
  writeFileSync(join(cli.handlersFolder, 'moved.ts'), ARCHIVED);
  writeFileSync(join(cli.handlersFolder, 'shop.ts'), SHOP);
  expect(await cli.run('contract', 'drift'), 'which knows more').toMatchObject({ code: 0 });
});

test('beside an application that embeds the receiver, a folder of its definitions does', async () => {
  const { cli, post, without, body } = await served({ 'shop.ts': SHOP }, { library: true });
  expect(await post('/webhooks/shop', order)).toBe(202);

  const { code, err } = await without(...ERASE);
  expect(code).toBe(4);
  expect(err).toContain(
    'set PORTARIA_HANDLERS to the folder of the files that export them (docs/library.md)',
  );
  expect(body()).toEqual(order);

  expect(await cli.run(...ERASE)).toMatchObject({ code: 0 });
  expect(body()).toEqual({
    event: { name: 'ordered', payload: { id: 'a1', total: 3, buyer: null, cpf: null } },
  });
});
