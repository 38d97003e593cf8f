import { afterEach, expect, it } from 'vitest';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const DAY_MS = 86_400_000;

let visit: Visit;

afterEach(() => visit.close());

it('says where personal data is kept, for how long by which setting, and who sees it', async () => {
  visit = await visitConsole({
    keep: { events: 182 * DAY_MS, quarantine: DAY_MS / 2, deliveries: null, audit: null },
  });
  const text = textOf((await visit.open('/privacy')).html);
  expect(text).toMatch(/Payloads and request headers of webhooks 182 d \(PORTARIA_KEEP_EVENTS\)/u);
  expect(text).toContain('12 h (PORTARIA_KEEP_QUARANTINE)');
  expect(text).toMatch(
    /Errors of handlers, changes of effects for ever: PORTARIA_KEEP_DELIVERIES is not set/u,
  );
  // What one comes for stands first.
  expect(text.indexOf('Find or erase a person')).toBeLessThan(text.indexOf('Where it is kept'));
  expect(text).toContain('No subject is held.');
  expect(text).toContain('Nobody was erased.');
});

it('names the personal fields of each kind that is stored', async () => {
  visit = await visitConsole();
  await visit.setup.receive(webhook('console-user.created', { id: 'c1' }));
  await visit.setup.receive({ type: 'freight.booked', data: { id: 3 } });
  const text = textOf((await visit.open('/privacy')).html);
  expect(text).toMatch(/console-user\.created 1 (?:\S+, )*name, email/u);
  expect(text).toContain('freight.booked 1 all: the contract does not know the kind');
});

it('lists holds, and erasures with their state, without identifiers', async () => {
  visit = await visitConsole({ token: 'all', viewToken: 'view' });
  const { store } = visit.setup;
  await store.hold([{ family: 'user', id: '77' }], { reason: 'case of 123.456.789-09', placedBy: 'ana' });
  const identifiers = [{ type: 'cpf', hash: 'feed'.repeat(16) }];
  const request = { requestedBy: 'rui', reason: 'request 2026-17', identifiers };
  await store.finishErasure(await store.beginErasure(request), '{}');
  await store.beginErasure(request);

  await visit.send('/sign-in', { token: 'view' }, { from: '/sign-in' });
  const { status, html } = await visit.open('/privacy');
  const text = textOf(html);
  expect(status).toBe(200);
  expect(text).toMatch(/user:77 case of <cpf> ana/u);
  expect(text).toMatch(/x2 .*? not finished 1 request 2026-17 rui x1 .*? finished/u);
  expect(html).not.toContain('feedfeed');
  expect(html).not.toContain('123.456');
});

it('leads to the reads in plain text', async () => {
  visit = await visitConsole();
  await visit.setup.receive(webhook('company.created', { id: 12 }));
  const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
  await visit.open(`/events/${event?.id ?? ''}`);
  await visit.open(`/events/${event?.id ?? ''}?unmask=true`);
  const link = /href="(\/audit\?[^"]*)"/u.exec((await visit.open('/privacy')).html)?.[1] ?? '';
  const { html } = await visit.open(link);
  expect(html.match(/looked at an event/gu)).toHaveLength(1);
});
