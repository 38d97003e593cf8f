import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createFindChanges } from './find-changes.ts';

const now = Date.parse('2026-03-10T15:00:00Z');
const since = Date.parse('2026-03-10T12:00:00Z');
const before = '2026-03-10T11:59:00.000Z';

interface Records {
  readonly [path: string]: readonly { readonly id: number; readonly updated_at: string }[];
}

/** A provider with these records, in pages; everything else is empty. */
function openQuestion(records: Records, respond?: () => Response | Promise<Response>) {
  const clock = manualClock(now);
  const requests: string[] = [];
  const client = createClient({
    url: 'http://provider.example',
    apiKey: 'key',
    clock,
    retry: { attempts: 1 },
    fetch(address) {
      const { pathname, searchParams } = new URL(address);
      const page = Number(searchParams.get('pagination[page]'));
      requests.push(`${pathname} ${String(page)}`);
      if (respond !== undefined) return respond();
      const all = records[pathname] ?? [];
      const data = all.slice((page - 1) * 100, page * 100);
      return Response.json({ data, pagination: { page, size: 100 }, total: all.length });
    },
  });
  const ask = createFindChanges({ client: () => client, clock });
  return { clock, requests, ask: (kind: string | null = null) => ask({ kind, since, now }) };
}

const old = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at + 1, updated_at: before }));

test('a record that changed since is found, with its time', async () => {
  const changed = { id: 7, updated_at: '2026-03-10T14:02:00.000Z' };
  const { ask } = openQuestion({ '/v1/companies': old(3), '/v1/charges/payment-slips': [changed] });
  expect(await ask()).toEqual({
    found: 'change',
    subject: 'charge-payment-slip:7',
    at: Date.parse('2026-03-10T14:02:00Z'),
  });
});

test('no change is found where every record is older, or changed within the last five minutes', async () => {
  const justNow = { id: 9, updated_at: '2026-03-10T14:58:00.000Z' };
  const withWebhook = { id: 8, updated_at: '2026-03-10T12:03:00.000Z' };
  const { ask } = openQuestion({ '/v1/companies': [...old(2), withWebhook, justNow] });
  expect(await ask()).toEqual({ found: 'none', records: 4 });
});

test('a long list is read from its end, ten pages at most', async () => {
  const records = [...old(1_850), { id: 1_851, updated_at: '2026-03-10T14:02:00.000Z' }];
  const { ask, requests } = openQuestion({ '/v1/companies': records });
  expect(await ask('company.updated')).toMatchObject({ subject: 'company:1851' });
  expect(requests).toEqual(['/v1/companies 1', '/v1/companies 19']);

  const quiet = openQuestion({ '/v1/companies': old(1_850) });
  expect(await quiet.ask('company.created')).toEqual({ found: 'none', records: 950 });
  expect(quiet.requests).toHaveLength(10);
});

test('only the list of a kind is asked; a kind without times of change cannot be', async () => {
  const { ask, requests } = openQuestion({});
  expect(await ask('charge.payment-slip.updated')).toEqual({ found: 'none', records: 0 });
  expect(requests).toEqual(['/v1/charges/payment-slips 1']);
  for (const kind of ['charge.created', 'company.login.started', 'own.kind'])
    expect(await ask(kind)).toEqual({
      found: 'unknown',
      reason: 'its records show no time of their last change',
    });
});

test('a provider that fails or does not respond leaves the question open', async () => {
  const rejecting = openQuestion({}, () => Response.json({ error: 'Unauthorized' }, { status: 401 }));
  expect(await rejecting.ask()).toMatchObject({
    found: 'unknown',
    reason: expect.stringContaining('401'),
  });

  const silent = openQuestion({}, () => new Promise(() => undefined));
  const asking = silent.ask();
  await nextTick();
  silent.clock.advance(30_000);
  expect(await asking).toEqual({ found: 'unknown', reason: 'no response within 30 s' });
});
