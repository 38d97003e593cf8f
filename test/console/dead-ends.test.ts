/** Mistakes of a visitor: a page says what is wrong and keeps what was typed, and no page is a dead end. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PortariaError } from '../../src/kernel/errors.ts';
import { textOf } from '../support/page-text.ts';
import { planOf, visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const PORTUGUESE = { 'accept-language': 'pt-BR' };
let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
  await visit.setup.receive(webhook('charge.updated', { id: 7 }));
  await visit.setup.settle();
});

afterEach(() => visit.close());

/** The attributes of the fields with a problem, by name. */
const wrongFields = (html: string): readonly string[] =>
  [...html.matchAll(/<input name="([^"]*)"[^>]*aria-invalid="true"/gu)].map(([, name = '']) => name);

describe('the form for a replay', () => {
  it('comes back filled in when no handler was chosen, which it says beside the handlers', async () => {
    const { status, html } = await visit.open(
      '/plan?action=replay&kind=charge.*&until=2026-11-21T00%3A00%3A00Z&if_not_succeeded=true',
    );
    expect(status).toBe(400);
    expect(html).toContain(
      '<span id="problem-handlers" class="error" role="alert">Choose one handler at least.',
    );
    expect(html).toContain('value="charge.*"');
    expect(html).toContain('value="2026-11-21T00:00:00Z"');
    expect(html).toMatch(/name="if_not_succeeded" value="true" checked=""/u);
    expect(html).toMatch(/href="\/jobs"[^>]*aria-current="page"/u);
    expect(textOf(html)).not.toContain('This did not work');
  });

  it('is not red before anybody has sent it', async () => {
    const { status, html } = await visit.open('/plan?action=replay&kind=charge.*');
    expect(status).toBe(200);
    expect(html).toContain('value="charge.*"');
    expect(html).not.toContain('problem-handlers');
  });

  it('says what is wrong beside a time and a subject, and keeps the handlers', async () => {
    const path = '/plan?action=replay&handlers=billing&since=ontem&subject=compny';
    const { status, html } = await visit.open(path);
    expect(status).toBe(400);
    expect(wrongFields(html)).toEqual(['subject', 'since']);
    expect(html).toContain('value="ontem"');
    expect(html).toMatch(/value="billing" checked=""/u);
    expect(textOf((await visit.open(path, PORTUGUESE)).html)).toContain(
      'Escreva um horário como 2026-11-22 13:00, ou 30m, 2h ou 7d antes de agora, não ontem.',
    );
  });

  it('names a handler that there is not', async () => {
    const { html } = await visit.open('/plan?action=replay&handlers=ledger');
    expect(textOf(html)).toContain('there is no handler ledger; the handlers are billing');
    expect(html).toContain('name="if_not_succeeded"');
  });
});

it('an address of nothing is a page in a browser, and an error of the API for a program', async () => {
  const { status, html } = await visit.open('/nothere');
  expect([status, textOf(html)]).toEqual([404, expect.stringContaining('There is no such page') as string]);
  expect(await visit.setup.get('/nothere')).toMatchObject({ status: 404, body: { error: 'Not Found' } });
});

it('a plan comes back when its pace is no number, with what was typed', async () => {
  visit.setup.failing = 'the ledger is closed';
  await visit.setup.receive(webhook('charge.updated', { id: 8 }));
  await visit.setup.settle();
  const plan = planOf(await visit.open('/plan?action=retry'));

  const sent = await visit.send('/plan/start', { plan, rate: 'fast', stop_at: '120' });

  expect(sent.status).toBe(400);
  expect(wrongFields(sent.html)).toEqual(['rate', 'stop_at']);
  expect(textOf(sent.html)).toContain(
    'Write deliveries per second: a number above 0, or nothing for no limit.',
  );
  expect(sent.html).toMatch(/name="rate"[^>]* value="fast"/u);
  expect(sent.html).not.toContain('name="staged" value="true" checked');
  const again = planOf(sent);
  const started = await visit.send('/plan/start', { plan: again, rate: '5', stop_at: '' });
  expect(started.location).toMatch(/^\/jobs\//u);
});

describe('a filter of events', () => {
  it('is wrong in the language of the visitor, beside the field', async () => {
    const { html } = await visit.open('/events?since=ontem', PORTUGUESE);
    expect(wrongFields(html)).toEqual(['since']);
    expect(textOf(html)).toContain('O filtro não foi aplicado: Escreva um horário como');
  });
});

describe('an address that leads nowhere', () => {
  it('has the frame of every page', async () => {
    for (const path of ['/events/zzzzzz-99', '/subjects/nothing', '/quarantine/q99', '/jobs/j99']) {
      const { status, html } = await visit.open(path);
      expect(status, path).toBe(404);
      expect(html).toContain('<nav id="nav"');
      expect(html).toContain('id="search"');
      expect(html).toContain('<main id="main"');
      const portuguese = await visit.open(path, PORTUGUESE);
      expect(portuguese.html).toContain('<html lang="pt-BR">');
      expect(textOf(portuguese.html)).toContain(`Não há nada em ${path}.`);
      expect(textOf(portuguese.html)).not.toContain('There is no');
    }
  });

  it('shows no navigation to whoever has not signed in', async () => {
    const strange = await visitConsole({ token: 'a token of some length' });
    const { html } = await strange.open('/assets/none/none.js');
    expect(html).not.toContain('<nav id="nav"');
    await strange.close();
  });
});

describe('a subject of which no event has come', () => {
  beforeEach(async () => {
    await visit.setup.receive(webhook('charge.updated', { id: 12, company: { id: 1 } }));
    await visit.setup.receive(webhook('company.login.started', { id: 1 }));
    await visit.setup.settle();
  });

  it('offers those with the same id, and those whose payload names the company', async () => {
    const { status, html } = await visit.open('/subjects/company:1');
    expect(status).toBe(404);
    expect(textOf(html)).toContain('No event of company:1 has come');
    expect(html).toContain('href="/subjects/company-login%3A1"');
    expect(html).toContain('href="/subjects/charge%3A12"');
    expect(html).toContain('href="/events?text=1"');
    expect(textOf((await visit.open('/subjects/company:1', PORTUGUESE)).html)).toContain(
      'Nenhum evento de company:1 chegou',
    );
  });

  it('offers a search when nothing is like it', async () => {
    const { html } = await visit.open('/subjects/charge:999');
    expect(textOf(html)).not.toContain('Subjects with this id');
    expect(html).toContain('href="/events?text=999"');
  });
});

it('the begin of kinds is a filter in the search field', async () => {
  for (const [text, location] of [
    ['traffic-violation', '/events?kind=traffic-violation.*'],
    ['company.login', '/events?kind=company.login.*'],
    ['company.created', '/events?kind=company.created'],
    ['"company"', '/events?text=company'],
  ] as const)
    expect((await visit.send('/search', { q: text })).location).toBe(location);
});

it('while the store cannot be read, the page says why', async () => {
  const away = new PortariaError('store-busy', 'PostgreSQL cannot be reached: check that it runs');
  for (const read of ['totals', 'statistics'] as const)
    vi.spyOn(visit.setup.store, read).mockRejectedValue(away);
  const { status, html } = await visit.open('/');
  expect([status, textOf(html)]).toEqual([503, expect.stringContaining('This did not work')]);
  expect(textOf(html)).toContain('PostgreSQL cannot be reached: check that it runs');
});
