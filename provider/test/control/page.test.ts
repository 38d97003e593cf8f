/** The pages of /control, as a browser without JavaScript gets them. */
import { describe, expect, test } from 'vitest';
import { company } from '../kit/people.ts';
import { addCharge } from '../../charges/change-charge.ts';
import { addTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { form } from '../kit/indication-setup.ts';
import { speeding } from '../kit/violation-setup.ts';
import { allPages, visit } from './page-visit.ts';

describe('who gets what', () => {
  test('a browser gets a page at /control, with or without a slash; a program gets the list of controls', async () => {
    const { open, getControl } = await visit();

    for (const path of ['/control', '/control/'])
      expect((await open(path)).text, path).toContain('In Brazil it is Tuesday, March 10, 2026');
    expect((await getControl('')).rows.length).toBeGreaterThan(20);
  });

  test.each(allPages)('%s loads its own files only, and no page may frame it', async (path) => {
    const { open } = await visit();

    const { status, headers, html } = await open(path);

    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(html).not.toMatch(/ style="| on[a-z]+="|<style/u);
    const loaded = [...html.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]*)"/gu)].map(
      ([, to]) => to ?? '',
    );
    expect(loaded.length).toBeGreaterThanOrEqual(3);
    for (const to of loaded) {
      expect(to).toMatch(/^\/control\/assets\//u);
      expect((await open(to)).status, to).toBe(200);
    }
  });

  test('says that a page or file does not exist', async () => {
    const { open } = await visit();

    expect(await open('/control/logins/7')).toMatchObject({ status: 404 });
    expect(await open('/control/assets/x/secret')).toMatchObject({ status: 404 });
  });
});

describe('the clock', () => {
  test('is advanced, and says how many steps ran', async () => {
    const { ours, send, open, getControl } = await visit();
    await ours.post('/v1/companies', company);

    const sent = await send('/control/', '/control/do/clock/advance', { by: '1h' });

    expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/\?done=advanced&count=\d+$/u)]);
    expect((await open(sent.location ?? '')).text).toMatch(
      /The clock was advanced; \d+ scheduled steps? ran/u,
    );
    expect((await getControl('/clock')).data).toMatchObject({ now: '2026-03-10T13:00:00.000Z' });
  });

  test('stops, and runs at another speed', async () => {
    const { send, open, getControl, clock } = await visit();

    await send('/control/', '/control/do/clock/speed', { speed: '0' });
    clock.advance(60_000);
    expect((await open('/control/')).text).toContain('stands still');
    expect((await getControl('/clock')).data).toMatchObject({ now: '2026-03-10T12:00:00.000Z', speed: 0 });

    await send('/control/', '/control/do/clock/speed', { speed: '60' });
    clock.advance(60_000);
    expect((await open('/control/')).text).toContain('runs 60 times as fast');
    expect((await getControl('/clock')).data).toMatchObject({ now: '2026-03-10T13:00:00.000Z', speed: 60 });
  });

  test('says what is wrong with a duration, on the page of the form', async () => {
    const { send } = await visit();

    const { status, text } = await send('/control/', '/control/do/clock/advance', { by: 'soon' });

    expect(status).toBe(400);
    expect(text).toContain('It was not done: by: expected a duration: a whole number and its unit');
    expect(text).toContain('In Brazil it is');
  });

  test('pauses and resumes the scenario', async () => {
    const { send, open } = await visit();

    await send('/control/', '/control/do/scenario/pause');
    expect((await open('/control/')).text).toContain('The scenario is paused');
    await send('/control/', '/control/do/scenario/resume');
    expect((await open('/control/')).text).not.toContain('The scenario is paused');
  });
});

test('chaos is set in rates, with a comma too, and set to 0', async () => {
  const { send, open, getControl } = await visit();

  await send('/control/', '/control/do/chaos', { duplicates: '0,25', delay: '1' });
  expect((await getControl('/chaos')).data['rates']).toMatchObject({ duplicates: 0.25, delay: 1, drops: 0 });
  const wrong = await send('/control/', '/control/do/chaos', { duplicates: 'often' });
  expect(wrong).toMatchObject({ status: 400 });
  expect(wrong.text).toContain('duplicates: expected a number from 0 to 1');

  await send('/control/', '/control/do/chaos', { _method: 'DELETE' });
  expect((await getControl('/chaos')).data['rates']).toMatchObject({ duplicates: 0, delay: 0 });
  expect((await open('/control/')).html).not.toContain('state warn');
});

describe('records by hand', () => {
  test('a login that waits is answered, which sends its webhooks', async () => {
    const { ours, open, send, newWebhooks, postControl } = await visit();
    const { data } = await ours.post('/v1/companies', company);
    const login = `/companies/${String(data['id'])}/login`;
    await postControl(`${login}/start`);
    await newWebhooks();
    expect((await open('/control/logins')).text).toContain('1 login waits for an answer');

    const sent = await send('/control/logins', `/control/do${login}/succeed`);

    expect([sent.status, sent.location]).toEqual([303, '/control/logins?done=other']);
    expect((await newWebhooks()).map(({ type }) => type)).toContain('company.login.connected');
    const after = await open('/control/logins');
    expect(after.text).toContain('No login waits');
    expect(after.text).toContain('End session');
  });

  test('a form leads back to the filtered page, and says only what it did itself', async () => {
    const { ours, send, postControl } = await visit();
    const { data } = await ours.post('/v1/companies', company);
    const login = `/companies/${String(data['id'])}/login`;
    await postControl(`${login}/start`);

    const sent = await send('/control/logins?status=processing&done=other', `/control/do${login}/fail`);

    expect(sent.location).toBe('/control/logins?status=processing&done=other');
  });

  test('a control that is not possible says why', async () => {
    const { ours, open, post, postControl } = await visit();
    const { data } = await ours.post('/v1/companies', company);
    const login = `/companies/${String(data['id'])}/login`;
    await postControl(`${login}/start`);
    const token = /name="_token" value="([^"]*)"/u.exec((await open('/control/logins')).html)?.[1] ?? '';

    const sent = await post(`/control/do${login}/start`, { _token: token, _back: '/control/logins' });

    expect(sent.status).toBe(409);
    expect(sent.text).toContain('It was not done: A login attempt is running');
  });
});

describe('what a day brings', () => {
  /** Adds a requested slip of a charge, and an indication with a document to sign. */
  async function visitWithRecords() {
    const visitor = await visit();
    const { ours, provider, postControl, newWebhooks } = visitor;
    await postControl('/scenario/pause');
    await ours.post('/v1/companies', company);
    await provider.change(ours.organization, async (change) => {
      await addCharge(change, { company_id: 1, type: 'fee', status: 'pending', amount: 92.41 });
      await addTrafficViolation(change, speeding);
    });
    await ours.post('/v1/charges/1/payment-slips');
    await ours.post('/v1/traffic-violations/1/indications', form);
    await newWebhooks();
    return visitor;
  }

  const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

  test('a slip is issued by hand, and then has no further move', async () => {
    const { open, send, newWebhooks } = await visitWithRecords();
    const page = '/control/slips?family=charges&status=pending';
    expect((await open('/control/slips?family=antt')).text).toContain('No slip matches');

    const sent = await send(page, '/control/do/charges/payment-slips/1/status', { status: 'issued' });

    expect([sent.status, sent.location]).toEqual([303, `${page}&done=other`]);
    expect(await newWebhooks()).toMatchObject([
      { type: 'charge.payment-slip.updated', data: { status: 'issued' } },
    ]);
    const after = await open('/control/slips?family=charges');
    expect(after.text).toContain('issued R$92.41');
    expect(after.html).not.toContain('/control/do/charges');
  });

  test('slips of all families are on one page, and are found by company and by id', async () => {
    const { ours, provider, open } = await visitWithRecords();
    await ours.post('/v1/traffic-violations/1/tickets', {});
    const all = await open('/control/slips');
    expect(all.text).toMatch(/charge 1/u);
    expect(all.text).toMatch(/traffic violation 1/u);
    const of = async (search: string) => (await open(`/control/slips?search=${search}`)).text;
    const { name } = await provider.query.selectFrom('companies').select('name').executeTakeFirstOrThrow();
    expect(await of(encodeURIComponent(name.slice(2, 8).toUpperCase()))).toMatch(/charge 1/u);
    expect(await of('1')).toMatch(/charge 1/u);
    expect(await of('77')).toContain('No slip matches');
  });

  test('a document is signed, and an impossible state of its indication is refused with the reason', async () => {
    const { open, send, newWebhooks } = await visitWithRecords();
    expect((await open('/control/documents')).text).toContain('pending 1 to sign');

    await send('/control/documents', '/control/do/indications/1/document/status', { status: 'signed' });

    expect(await newWebhooks()).toMatchObject([{ data: { document_status: 'signed' } }]);
    const set = '/control/do/indications/1/status';
    await send('/control/documents', set, { status: 'rejected' });
    const again = await send('/control/documents', set, { status: 'rejected' });
    expect(again.status).toBe(409);
    expect(again.text).toContain('It was not done:');
  });

  test('a scheduled step is run now, or dropped', async () => {
    const { open, send, newWebhooks } = await visitWithRecords();
    expect((await open('/control/')).text).toContain('slip of a charge 1');

    await send('/control/', '/control/do/steps/charge-slip/1/run');
    expect(types(await newWebhooks())).toContain('charge.payment-slip.updated');
    await send('/control/', '/control/do/steps/indication/1', { _method: 'DELETE' });
    expect((await open('/control/')).text).not.toContain('indication of a driver 1');
  });

  test('webhooks are listed with their attempts and failures, page after page, and dead ones sent again', async () => {
    const { open, send, provider, postControl } = await visitWithRecords();
    for (let turn = 0; turn < 10; turn += 1) await postControl('/companies/1/login/succeed');
    provider.sqlite
      .prepare(
        "update webhook_deliveries set status = 'dead', attempts = 8, failure = 'status 500' where id < 4",
      )
      .run();

    const first = await open('/control/deliveries');
    const next = /href="(\/control\/deliveries\?after=\d+)" rel="next"/u.exec(first.html)?.[1] ?? '';
    expect(first.html.match(/<tr>/gu)).toHaveLength(51);
    expect((await open(next)).text).toContain('status 500');
    const dead = await open('/control/deliveries?status=dead');
    expect(dead.html.match(/<tr>/gu)).toHaveLength(4);
    expect(dead.text).toContain('Send all 3 dead ones again');

    const one = await send('/control/deliveries?status=dead', '/control/do/webhooks/dead/2/resend');
    expect(one.location).toBe('/control/deliveries?status=dead&done=resent&count=1');
    await send('/control/deliveries?status=dead', '/control/do/webhooks/dead/resend');
    expect((await open('/control/deliveries?status=dead')).text).toContain('No webhook matches');
  });
});

describe('a form is rejected', () => {
  const advance = '/control/do/clock/advance';

  test.each([
    ['from another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['from another port', { origin: 'http://localhost:9090', 'sec-fetch-site': 'same-site' }],
    ['from a page that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['for another host', { host: 'rebound.example:4010', origin: 'http://rebound.example:4010' }],
    ['through a proxy', { 'x-forwarded-for': '192.168.0.7' }],
  ])('%s', async (_, headers) => {
    const { send, getControl } = await visit();

    expect(await send('/control/', advance, { by: '1h' }, headers)).toMatchObject({ status: 403 });
    expect((await getControl('/clock')).data).toMatchObject({ ahead_ms: 0 });
  });

  test.each([
    ['without its token', {}],
    ['with a forged token', { _token: 'MTc2.x' }],
  ])('%s', async (_, fields) => {
    const { post, getControl } = await visit();

    const sent = await post(advance, { by: '1h', _back: '/control/', ...fields });

    expect(sent.status).toBe(403);
    expect(sent.text).toContain('This form is too old');
    expect((await getControl('/clock')).data).toMatchObject({ ahead_ms: 0 });
  });

  test('from another machine, as is every page', async () => {
    const { open } = await visit();

    for (const path of [...allPages, '/control/assets/x/console.css'])
      expect((await open(path, {}, '192.168.0.7')).status, path).toBe(403);
  });

  test('with a method that changes nothing', async () => {
    const { send } = await visit();

    for (const _method of ['GET', 'TRACE', 'x'])
      expect(await send('/control/', advance, { by: '1h', _method })).toMatchObject({ status: 405 });
  });

  test('back to another place: it leads to the first page instead', async () => {
    const { open, post } = await visit();
    const token = /name="_token" value="([^"]*)"/u.exec((await open('/control/')).html)?.[1] ?? '';
    for (const _back of ['https://evil.example/', '//evil.example', '/\\evil.example', '/v1/companies', '']) {
      const sent = await post(advance, { _token: token, _back, by: '1m' });
      expect(sent.location, _back).toMatch(/^\/control\/\?done=advanced/u);
    }
  });
});

test('names and addresses are text and never markup', async () => {
  const naughty = `<script>alert(1)</script> "><img src=x onerror=alert(1)> ' onmouseover='alert(1)
    </td></script><svg/onload=alert(1)> javascript:alert(1)`;
  const { ours, open, provider, postControl } = await visit();
  const { data } = await ours.post('/v1/companies', { ...company, name: naughty });
  await postControl(`/companies/${String(data['id'])}/login/start`);
  provider.sqlite.prepare("update webhook_deliveries set status = 'dead', failure = ?").run(naughty);
  provider.sqlite.prepare('update webhook_endpoints set url = url || ?').run(naughty);

  for (const path of [...allPages, `/control/deliveries?status=dead&after=${encodeURIComponent(naughty)}`]) {
    const { status, html } = await open(path);
    expect(status, path).toBe(200);
    expect(html, path).not.toMatch(/<script>|<img|<svg|onmouseover='|href="javascript:/u);
    expect(html.match(/<script src="\/control\/assets\/[^"]*"/gu), path).toHaveLength(2);
    expect(html.match(/<script/gu), path).toHaveLength(2);
  }
});
