/** Reports about texts: in files that are read, and in what is written. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { portaria, serve } from '../../support/running-portaria.ts';
import { charge } from '../../support/webhooks/envelopes.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { report } from './report.ts';

report('an import whose file begins with a byte order mark', 'reads its first line', async () => {
  const { folder, database } = createWorkspace();
  const file = join(folder, 'events.ndjson');
  writeFileSync(file, `\uFEFF${JSON.stringify(charge(1, 1))}\n${JSON.stringify(charge(2, 1))}\n`);
  const { code, err } = await portaria(['events', 'import', file, '--no-handlers'], {
    PORTARIA_DATABASE: database,
  });
  expect(err).toContain('2 lines read: 2 accepted.');
  expect(code).toBe(0);
});

report('credentials in what handlers throw and log', 'masks them', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'calls.ts',
    `import { defineHandler, GiveUp } from 'portaria';
    export default defineHandler({
      name: 'calls',
      on: 'charge.*',
      retry: { attempts: 1, baseMs: 1, maxMs: 1 },
      handle(_event, { log }) {
        const config = { headers: { Authorization: 'Bearer first-secret' }, data: '{"name":"Ana Prado"}' };
        const err = Object.assign(new Error('401 for Bearer second-secret-2'), { config, code: 'ERR_BAD_REQUEST' });
        log.error({ err }, 'the call failed');
        log.error({ error: err, of: '12abc34501de35' }, 'the call failed');
        log.warn({ request: config, text: JSON.stringify({ password: 'third secret' }) }, 'sent token=fourth-secret');
        throw new Error('refused password=fifth-secret of 12abc34501de35', { cause: err });
      },
    });`,
  );
  const env = { PORTARIA_DATABASE: workspace.database, PORTARIA_HANDLERS: workspace.handlers };
  const running = await serve(env);
  await running.post(charge(1, 1));
  await eventually('the delivery is dead', () => running.written().includes('"delivery.dead"'));
  const lines = running.written().trimEnd().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(parsed.filter(({ msg }) => msg === 'the call failed')).toMatchObject([
    { err: { message: '401 for Bearer <secret>', code: 'ERR_BAD_REQUEST' } },
    { error: { message: '401 for Bearer <secret>', stack: expect.stringContaining('calls.ts') as string } },
  ]);
  expect(parsed.find(({ msg }) => msg === 'sent token=<secret>')).toMatchObject({
    request: { headers: { Authorization: '<secret>' } },
    text: '{"password":"<secret>"}',
  });
  expect(JSON.stringify(parsed.at(-1))).toContain('password=<secret> of <cnpj>');
  expect(running.written()).not.toMatch(/(?:first|second|third|fourth|fifth).secret/);
  const { out } = await portaria(['deliveries', 'list', '--json'], env);
  expect(out).not.toMatch(/fifth.secret|12abc34501de35/);
});

report('a kind with a direction override', 'is escaped in each log, and in what a pipe gets', async () => {
  const { database } = createWorkspace();
  const env = { PORTARIA_DATABASE: database };
  const running = await serve(env);
  await running.post({ type: 'odd.\u202Akind', data: { id: 1 } });
  await eventually('the log has it', () => running.written().includes(String.raw`odd.\u202akind`));
  const { out: list } = await portaria(['events', 'list'], env);
  const { out: json } = await portaria(['events', 'list', '--json'], env);
  expect(list).toContain(String.raw`odd.\u202akind`);
  expect(JSON.parse(json)).toMatchObject({ kind: 'odd.\u202Akind' });
  expect([running.written(), list, json].join('')).not.toContain('\u202A');
});
