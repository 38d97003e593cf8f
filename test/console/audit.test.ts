/** The page of what operators did, and what happens when the audit cannot record it. */
import { afterEach, describe, expect, it } from 'vitest';
import { english } from '../../src/console/language/words.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const TOKEN = 'operators-token-0123456789';

let visit: Visit;

afterEach(() => visit.close());

async function withFailures(count = 1): Promise<void> {
  visit.setup.failing = true;
  for (let id = 1; id <= count; id += 1) await visit.setup.receive(webhook('charge.updated', { id }));
  await visit.setup.settle();
}

const cellsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gu)].slice(1).map(([, row = '']) =>
    row
      .replaceAll(/<(?:td|br|div)[^>]*>/gu, ' ')
      .replaceAll(/<[^>]+>/gu, '')
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  );

describe('the page', () => {
  it('says what is not recorded while it is empty', async () => {
    visit = await visitConsole();
    const { html } = await visit.open('/audit');
    expect(html).toContain('Nobody has done anything yet.');
    expect(html).toContain('portaria audit verify');
  });

  it('shows who did what, about what, why and with which result, newest first', async () => {
    visit = await visitConsole();
    await withFailures();
    const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
    const id = event?.id ?? '';
    for (let look = 0; look < 2; look += 1) await visit.open(`/events/${id}?unmask=true`);
    await visit.send(
      '/failures/retry',
      { delivery: 'd1', reason: 'the bank answers again' },
      { from: '/failures' },
    );
    await visit.send('/language', {}, { headers: { origin: 'https://evil.example' } });

    const { html } = await visit.open('/audit');

    expect(cellsOf(html).map((row) => row.replace(/^.*?(?:AM|PM)\s?/u, ''))).toEqual([
      'a local user console 127.0.0.1 chose the language page /language – rejected 403',
      'a local user console 127.0.0.1 retried deliveries delivery d1 retried 1 the bank answers again done',
      `a local user console 127.0.0.1 looked at a page personal data shown page /events/${id} – done 2 times`,
    ]);
    expect(html).toContain(`<a href="/events/${id}">/events/${id}</a>`);
  });

  const filtered = [
    ['actor=ana', []],
    ['actor=loopback&action=retryDeliveries', ['retryDeliveries']],
    ['subject=d2', ['retryDeliveries']],
    ['result=rejected', ['signIn']],
    ['place=api', []],
    ['since=1h', ['signIn', 'retryDeliveries']],
    ['since=2099-01-01', []],
    ['place=&result=', ['signIn', 'retryDeliveries']],
  ] as const;

  it('offers every action once, in groups', async () => {
    visit = await visitConsole();
    const { html } = await visit.open('/audit');
    const [actions = ''] = /<select name="action".*?<\/select>/su.exec(html) ?? [];
    const offered = [...actions.matchAll(/<option value="(\w+)">/gu)].map(([, action]) => action);
    expect(offered.toSorted()).toEqual(Object.keys(english.audit.actions).toSorted());
    expect(html).toMatch(/<optgroup label="Plans and jobs"><option value="makePlan">made a plan/u);
  });

  it('is filtered by its address', async () => {
    visit = await visitConsole();
    await withFailures(2);
    await visit.send('/failures/retry', { delivery: 'd2' });
    await visit.send('/sign-in', { token: 'x' }, { headers: { origin: 'https://evil.example' } });
    for (const [query, actions] of filtered) {
      const { status, html } = await visit.open(`/audit?${query}`);
      expect(status).toBe(200);
      const found = [...html.matchAll(/<span title="(signIn|authenticate|retryDeliveries)"/gu)];
      expect(
        found.map(([, action]) => (action === 'authenticate' ? 'signIn' : action)),
        query,
      ).toEqual(actions);
      if (actions.length === 0) expect(html).toContain('No entry matches.');
    }
  });

  it('says what is wrong with its address, and shows no entries', async () => {
    visit = await visitConsole();
    for (const [query, message] of [
      ['since=yesterday', 'Write a time as'],
      ['place=nowhere', 'place: '],
      ['result=don', 'result: '],
    ] as const) {
      const { status, html } = await visit.open(`/audit?${query}`);
      expect(status).toBe(400);
      expect(html).toContain(message);
      expect(html).not.toContain('<table');
    }
  });

  it('has pages, whose addresses keep the filter', async () => {
    visit = await visitConsole();
    for (let at = 0; at < 35; at += 1)
      await visit.setup.store.appendAudit({
        at,
        place: 'api',
        actor: 'token',
        address: null,
        action: 'retryDeliveries',
        unmasked: false,
        subject: { ids: `d${String(at)}` },
        reason: null,
        result: 'done',
        status: 200,
        times: 1,
        ends: null,
      });
    const first = await visit.open('/audit?action=retryDeliveries');
    expect(cellsOf(first.html)).toHaveLength(25);
    const next = /href="([^"]*)" rel="next"/u.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(next).toBe('/audit?action=retryDeliveries&after=u11');
    const second = await visit.open(next);
    expect(cellsOf(second.html)).toHaveLength(10);
    expect(second.html).toContain('>d0</');
  });

  it('shows naughty names, reasons and ids as text, without control characters', async () => {
    visit = await visitConsole();
    const naughty = '<img src=x onerror=alert(1)>\u001b[31m\u202e"\'\n';
    await visit.setup.store.appendAudit({
      at: 1,
      place: 'console',
      actor: naughty,
      address: naughty,
      action: naughty,
      unmasked: true,
      subject: { [naughty]: naughty, path: 'javascript:alert(1)', subject: `a:${naughty}` },
      reason: naughty,
      result: 'done',
      status: 200,
      times: 1,
      ends: null,
    });
    const { html } = await visit.open('/audit');
    expect(html).not.toContain('<img');
    expect(html).not.toContain('href="javascript');
    expect(html).not.toMatch(/[\u001b\u202e]/u);
  });

  it('is in Portuguese, too', async () => {
    visit = await visitConsole();
    const { html } = await visit.open('/audit', { 'accept-language': 'pt-BR' });
    expect(html).toContain('<h1>Auditoria</h1>');
  });
});

describe('sign-ins', () => {
  it('and sign-outs are recorded with what the token permits, and never with the token', async () => {
    visit = await visitConsole({ token: TOKEN, viewToken: 'view-token-0123456789' });
    await visit.send('/sign-in', { token: 'guess' }, { from: '/sign-in' });
    await visit.send('/sign-in', { token: 'view-token-0123456789' }, { from: '/sign-in' });
    await visit.send('/sign-out', {});
    const entries = await visit.setup.store.audit({}, { order: 'oldest', limit: 9 });
    expect(entries.map(({ action, actor, result }) => [action, actor, result])).toEqual([
      ['authenticate', null, 'rejected'],
      ['signIn', 'view token', 'done'],
      ['signOut', 'view token', 'done'],
    ]);
    expect(JSON.stringify(entries)).not.toContain('token-0123456789');
  });
});

it('a change without a session is a rejected request, counted, and never a sign-out', async () => {
  visit = await visitConsole({ token: TOKEN });
  const send = (path: string) =>
    visit.setup.request(`http://ops.example${path}`, {
      method: 'POST',
      body: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '3' },
    });
  for (let time = 0; time < 100; time += 1)
    expect((await send(time % 2 === 0 ? '/sign-out' : '/plan/start')).status).toBe(303);
  const entries = await visit.setup.store.audit({}, { order: 'oldest', limit: 200 });
  expect(new Set(entries.map(({ action, result }) => `${action} ${result}`))).toEqual(
    new Set(['authenticate rejected']),
  );
  expect(entries.length).toBeLessThan(5);
});

describe('on a full disk', () => {
  let full = false;

  /** Only the audit fails: what is not done although it could be is not done because of it. */
  async function visitFull(options: Parameters<typeof visitConsole>[0] = {}): Promise<void> {
    full = false;
    visit = await visitConsole({
      ...options,
      wrapStore: (store): Store => ({
        ...store,
        appendAudit: (entry) =>
          full
            ? Promise.reject(new PortariaError('store-full', 'the disk is full'))
            : store.appendAudit(entry),
        endSession: (session, endsAt) =>
          full
            ? Promise.reject(new PortariaError('store-full', 'the disk is full'))
            : store.endSession(session, endsAt),
      }),
    });
    await withFailures();
    full = true;
  }

  it('a form changes nothing, and the page says why', async () => {
    await visitFull();
    const { status, html } = await visit.send('/failures/retry', { delivery: 'd1' });
    expect(status).toBe(503);
    expect(html).toContain('Nothing was changed, because the audit cannot record it');
    const dead = await visit.setup.store.deliveries({ status: 'dead' }, { order: 'newest', limit: 9 });
    expect(dead).toHaveLength(1);
  });

  it('a request to the operators’ API changes nothing', async () => {
    await visitFull();
    const { status, body } = await visit.setup.post('/api/deliveries/retry', { ids: ['d1'] });
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain('retried');
    const dead = await visit.setup.store.deliveries({ status: 'dead' }, { order: 'newest', limit: 9 });
    expect(dead).toHaveLength(1);
  });

  it.each(['/events/1?unmask=true', '/api/events/1?unmask=true', '/api/events/1/body?unmask=true'])(
    'personal data is not shown: %s',
    async (path) => {
      await visitFull();
      const { status, html } = await visit.open(path);
      expect(status).toBe(503);
      expect(html).not.toContain('overdue');
      full = false;
      expect((await visit.open(path)).status).toBe(200);
    },
  );

  it('reading, signing in and signing out go on', async () => {
    await visitFull({ token: TOKEN });
    expect((await visit.send('/sign-in', { token: TOKEN }, { from: '/sign-in' })).status).toBe(303);
    expect((await visit.open('/failures')).status).toBe(200);
    expect((await visit.send('/sign-out', {})).status).toBe(303);
    expect((await visit.open('/failures')).status).toBe(303);
    const failures = visit.setup.logged.filter(({ message }) =>
      message.startsWith('the audit could not record'),
    );
    expect(failures.length).toBeGreaterThan(0);
  });

  it.each([
    ['/subjects/arch%3Aana%40example.com', '/subjects/arch:<email>'],
    ['/subjects/arch%3A12.345.678%2F0001-95', '/subjects/arch:<cnpj>'],
    ['/subjects/user%3A529%252E982%252E247-25', '/subjects/user:<cpf>'],
  ])('has no identifier that an address spells: %s', async (path, text) => {
    visit = await visitConsole();
    await visit.open(`${path}?unmask=true`);
    const [entry] = await visit.setup.store.audit({}, { order: 'newest', limit: 1 });
    expect(entry?.subject['path']).toBe(text);
    expect(JSON.stringify(visit.setup.logged)).not.toMatch(/ana(?:@|%)|12\.345|982/u);
  });
});

describe('an entry', () => {
  it('of a plan names what it does, how many items, the handler and the job', async () => {
    visit = await visitConsole();
    await withFailures(2);
    const { html: form } = await visit.open('/plan?action=retry&handler=billing');
    const plan = /name="plan" value="([^"]*)"/u.exec(form)?.[1] ?? '';
    const { location } = await visit.send('/plan/start', { plan, rate: '', stop_at: '20' });
    const job = location?.slice('/jobs/'.length) ?? '';
    const [row = ''] = cellsOf((await visit.open('/audit')).html);
    expect(row).toContain('started a plan');
    for (const told of ['action retry', 'items 2', 'handler billing', `job ${job}`])
      expect(row).toContain(told);
  });

  it('of a sample names its kind and its event', async () => {
    visit = await visitConsole({ samples: true });
    const body = JSON.stringify(webhook('company.created', { id: 0 }));
    await visit.send('/contract/company.created/send', { body, source: 'default' });
    const [row = ''] = cellsOf((await visit.open('/audit')).html);
    expect(row).toMatch(/sent a sample .*kind company\.created.*event [0-9a-z]{6}-1/u);
  });

  it('of a search in personal data names the fields, and never what was looked for', async () => {
    visit = await visitConsole();
    const where = encodeURIComponent('data.company.tax_id = "12.345.678/0001-90" and data.name contains ana');
    await visit.open(`/events?where=${where}&text=Serra&unmask=true`);
    const { html } = await visit.open('/audit');
    const [row = ''] = cellsOf(html);
    expect(row).toContain('searched in data.company.tax_id, data.name, text');
    expect(html).not.toMatch(/12\.345|Serra/u);
  });

  it('of a pause without an end does not speak of one, and is told in the language of the visitor', async () => {
    visit = await visitConsole();
    await visit.send('/handlers/pause', { handler: 'billing', reason: 'repair', until: '' });
    const [row = ''] = cellsOf((await visit.open('/audit', { 'accept-language': 'pt-BR' })).html);
    expect(row).toMatch(/pausou .*handler billing/u);
    expect(row).not.toContain('até');
  });
});

it('shows an entry about a subject whose name is half of a pair of code units', async () => {
  visit = await visitConsole();
  const body = JSON.stringify({ subject: 'user:\ud800', reason: 'over' });
  await visit.setup.request('/api/holds/remove', {
    ...{ method: 'POST', body },
    headers: { 'content-type': 'application/json' },
  });
  const { status, html } = await visit.open('/audit');
  expect(status).toBe(200);
  expect(html).toContain('user:\ufffd');
});
