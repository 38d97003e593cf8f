/** The page of the system: which processes share the store, and what its checks find. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { textOf } from '../support/page-text.ts';
import { checked } from '../../src/store/checks.ts';
import { visitConsole, type Visit } from './kit/console-browser.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

it('names each with its version, its last heartbeat and what it runs, and says which leads', async () => {
  const now = visit.setup.clock.now();
  vi.spyOn(visit.setup.store, 'runningProcesses').mockResolvedValue([
    {
      ...{ host: 'fleet-1', pid: 7, version: '0.2.0', leads: true, inFlight: 1_234 },
      ...{ startedAt: now - 3_600_000, seenAt: now - 1_000 },
    },
    { host: 'fleet-2', pid: 8, version: null, startedAt: null, seenAt: now, leads: false, inFlight: 0 },
  ]);

  const english = textOf((await visit.open('/system')).html);
  expect(english).toMatch(/7 on fleet-1 0\.2\.0 .+ leads 1,234 8 on fleet-2 /u);
  const portuguese = textOf((await visit.open('/system', { 'accept-language': 'pt-BR' })).html);
  expect(portuguese).toMatch(/7 em fleet-1 0\.2\.0 .+ lidera 1\.234 8 em fleet-2 /u);
});

it('escapes what a process says of itself, and shows no heartbeat of the only process of a file', async () => {
  vi.spyOn(visit.setup.store, 'runningProcesses').mockResolvedValue([
    {
      ...{ host: 'fleet\u001b[2J\u0007', pid: 7, version: '0\u001b', leads: false, inFlight: 0 },
      ...{ startedAt: 9e18, seenAt: null },
    },
  ]);

  const { status, html } = await visit.open('/system');
  expect(status).toBe(200);
  expect(html).not.toMatch(/[\u001b\u0007]/u);
  expect(textOf(html)).toContain('Since Running now 7 on fleet\\u001b[2J\\u0007 0\\u001b – 0');
});

it('says that none runs', async () => {
  expect(textOf((await visit.open('/system')).html)).toContain('No process runs deliveries.');
});

it('lists the last outages in the language of the visitor', async () => {
  const { store, clock } = visit.setup;
  expect(textOf((await visit.open('/system')).html)).toContain('Outages None that Portaria knows of.');
  const [beganAt, endedAt] = [clock.now() - 90_000, clock.now()];
  const outage = { record: 'outage', beganAt, endedAt } as const;
  await store.recordMonitoring({ ...outage, cause: 'store', handler: null, refused: 1_234 });
  await store.recordMonitoring({ ...outage, cause: 'stalled', handler: 'billing', refused: 0 });

  const english = textOf((await visit.open('/system')).html);
  expect(english).toMatch(/The store could not be written .+ 1,234 /u);
  expect(english).toMatch(/The process was blocked: billing .+ – /u);
  const portuguese = textOf((await visit.open('/system', { 'accept-language': 'pt-BR' })).html);
  expect(portuguese).toMatch(/O banco de dados não podia ser gravado .+ 1\.234 /u);
});

it('shows an outage while it goes on', async () => {
  const about = { of: null, summary: 'it is away', remedy: 'mend it' };
  const since = visit.setup.clock.now();
  visit.setup.observation = { quiet: [], problems: [{ problem: 'store-unavailable', since, ...about }] };

  const { html } = await visit.open('/system');
  expect(textOf(html)).toMatch(/The store could not be written .+ still going on – /u);
  const portuguese = textOf((await visit.open('/system', { 'accept-language': 'pt-BR' })).html);
  expect(portuguese).toMatch(/não podia ser gravado .+ continua – /u);
  expect((await visit.setup.get('/api/stats')).body['outages']).toEqual([
    {
      cause: 'store',
      began_at: new Date(since).toISOString(),
      ...{ ended_at: null, handler: null, refused: null },
    },
  ]);
});

it('tells a check that passed, but needs a look, from one that is ok', async () => {
  vi.spyOn(visit.setup.store, 'checks').mockResolvedValue([
    checked('disk', true, { code: 'disk', mib: 900, ok: true }),
    checked('history', 'warning', { code: 'other-server' }),
    checked('fsync', false, { code: 'verbatim', text: 'off' }),
  ]);
  const textIn = async (language: string) =>
    textOf((await visit.open('/system', { 'accept-language': language })).html);

  expect(await textIn('en')).toContain(
    'disk ok 943.7 MB free history warning this server is not the one on which the store is known fsync failed off',
  );
  expect(await textIn('pt-BR')).toContain(
    'disco ok 943,7 MB livres histórico aviso este servidor não é aquele em que o banco é conhecido fsync falhou off',
  );
});
