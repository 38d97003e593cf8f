/** Holds and erasures at the operators' API: planned, started with the person named again, and audited without them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAuthentic, type Receipt } from '../../src/privacy/receipt.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { CPF, MAIL, planErasure, receiveIndication, tokenOf } from './erasing-setup.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const indication = (id: number, taxId = CPF) => receiveIndication(setup, id, taxId);
const planned = (...identifiers: string[]) => planErasure(setup, identifiers);
const entries = async () => setup.store.audit({}, { order: 'oldest', limit: 100 });

describe('holds', () => {
  it('a subject is held under all names of the person, with who and why, until the hold ends', async () => {
    const held = await setup.post('/api/holds', { subject: 'user:77', reason: 'case 12 of 123.456.789-09' });
    expect(held.rows).toMatchObject([
      { subject: 'user:77', reason: 'case 12 of <cpf>', placed_by: 'loopback' },
      { subject: 'user-login:77' },
    ]);
    expect((await setup.get('/api/holds')).rows).toEqual(held.rows);
    const ended = await setup.post('/api/holds/remove', { subject: 'user-login:77', reason: 'case closed' });
    expect(ended.body).toEqual({ removed: 2 });
    expect((await setup.get('/api/holds')).rows).toEqual([]);
    expect((await entries()).map(({ action, reason }) => [action, reason])).toEqual([
      ['addHold', 'case 12 of <cpf>'],
      ['removeHold', 'case closed'],
    ]);
  });

  it.each([
    'cpf:12345678909',
    'email:ana@example.com',
    'phone:1',
    'user:123.456.789-09',
    'user:ana@example.com',
  ])(
    'a hold of %s, which keeps nothing, is rejected with what to name, and stored nowhere',
    async (subject) => {
      const { status, body } = await setup.post('/api/holds', { subject, reason: 'case 12' });
      expect([status, body['message']]).toEqual([
        400,
        'A hold of a CPF, CNPJ, e-mail address or phone keeps nothing: name the subject as the list of events shows it, such as user:77',
      ]);
      expect(await setup.store.holds()).toEqual([]);
      expect(JSON.stringify(await entries())).not.toMatch(/12345678909|ana@/u);
    },
  );

  it('a subject whose id is an identifier can be held once its sender uses it', async () => {
    await setup.receive({ type: 'driver.updated', data: { id: CPF } });
    const held = await setup.post('/api/holds', { subject: `driver:${CPF}`, reason: 'case 12' });
    expect(held.body).toMatchObject({ data: [{ reason: 'case 12' }], warning: null });
  });

  it('a hold of what is not stored yet is placed, with a warning; spaces around it do not count', async () => {
    const { body } = await setup.post('/api/holds', { subject: ' User:77 ', reason: 'case 12' });
    expect(body).toMatchObject({
      data: [{ subject: 'User:77' }],
      warning: expect.stringContaining('Nothing of User:77 is stored yet') as string,
    });
    for (const subject of ['user:7\u00007', `user:${'7'.repeat(900_000)}`])
      expect((await setup.post('/api/holds', { subject, reason: 'case 12' })).status).toBe(400);
    expect(await setup.store.holds()).toHaveLength(1);
  });

  it('a hold needs a reason, a subject, and one to end', async () => {
    expect(await setup.post('/api/holds', { subject: 'user:77', reason: ' ' })).toMatchObject({
      status: 400,
      body: { message: 'Give a reason: it is stored, and the audit shows it' },
    });
    expect((await setup.post('/api/holds', { subject: 'user', reason: 'case 12' })).status).toBe(400);
    expect(await setup.post('/api/holds/remove', { subject: 'user:77', reason: 'over' })).toMatchObject({
      status: 404,
      body: { message: 'There is no hold of user:77' },
    });
    expect(await setup.store.holds()).toEqual([]);
  });
});

describe('an erasure', () => {
  it('is planned with its rows and fields, and nothing changes', async () => {
    await indication(1);
    const run = await planned('123.456.789-09');
    expect(run).toMatchObject({
      state: 'planned',
      erasure: null,
      plan: {
        expires_at: '2026-11-20T12:10:00.000Z',
        identified_by: { cpf: 1 },
        rows: { event: 1, quarantine: 0 },
        held_rows: 0,
        holds: [],
        kinds: [{ place: 'event', rows: 1, erased: expect.arrayContaining(['data.tax_id']) as unknown }],
        findings: [{ place: 'event', subject: 'traffic-violation-indication:1' }],
      },
    });
    expect(JSON.stringify(run)).not.toMatch(/12345678909|Prado/iu);
    expect((await setup.get(`/api/erasures/plans/${String(run['id'])}`)).body).toEqual(run);
    expect((await setup.get('/api/erasures')).rows).toEqual([]);
  });

  it('erases what was planned, and ends with a signed receipt and no trace of the person', async () => {
    await indication(1);
    await indication(2, '98765432100');
    const plan = tokenOf(await planned(CPF));
    const request = { plan, identifiers: ['123.456.789-09'], reason: 'request 2026-17' };
    const started = await setup.post('/api/erasures', request);
    expect(started.body).toMatchObject({ state: 'finished', erasure: 'x1', plan: null, problem: null });
    const { body } = await setup.get('/api/erasures/x1');
    expect(body).toMatchObject({
      state: 'finished',
      requested_by: 'loopback',
      reason: 'request 2026-17',
      receipt: { erasure: 'x1', erased_rows: { event: 1 }, hits: 0 },
    });
    expect(isAuthentic(body['receipt'] as Receipt)).toBe(true);
    const [first, second] = await setup.store.events({}, { order: 'oldest', limit: 2 });
    expect(first?.flags).toContain('erased');
    expect(second?.flags).not.toContain('erased');
    expect((await planned(CPF))['plan']).toMatchObject({ rows: { event: 0 } });
  });

  it('is audited from its beginning to its end, and nothing names the person', async () => {
    await indication(1);
    const run = await planned(CPF, MAIL);
    const identifiers = [MAIL, CPF];
    await setup.post('/api/erasures', { plan: tokenOf(run), identifiers, reason: 'request 2026-17' });
    const audit = await entries();
    const ended = audit.filter(({ result }) => result === 'done');
    expect(ended.map(({ action, subject }) => [action, subject])).toEqual([
      ['planErasure', expect.objectContaining({ identifiers: '1 cpf, 1 email' })],
      ['startErasure', expect.objectContaining({ erasure: 'x1' })],
      ['erasePerson', expect.objectContaining({ erasure: 'x1', identifiers: '1 email, 1 cpf' })],
    ]);
    expect(audit.find(({ action }) => action === 'erasePerson')?.reason).toBe('request 2026-17');
    const said = JSON.stringify([audit, setup.logged]);
    expect(said).not.toMatch(/12345678909|123\.456|prado/iu);
    expect(said).not.toContain(String(tokenOf(run)).slice(0, 40));
  });

  it('starts only with the identifiers of its plan, before it expires, and on its own store', async () => {
    await indication(1);
    const plan = tokenOf(await planned(CPF));
    const start = (changes: object) =>
      setup.post('/api/erasures', { plan, identifiers: [CPF], reason: 'request 17', ...changes });
    const messages = [
      await start({ identifiers: ['98765432100'] }),
      await start({ identifiers: [CPF, MAIL] }),
      await start({ plan: `${String(plan)}x` }),
      await start({ reason: '' }),
      await start({ reason: 'of 123.456.789-09' }),
      await start({ reason: 'asked by maria@example.com' }),
    ].map(({ status, body }) => [status, body['message']]);
    expect(messages).toEqual([
      [400, 'These are not the identifiers of the plan: type the same again'],
      [400, 'These are not the identifiers of the plan: type the same again'],
      [400, 'This plan is of another store or another version: make it again'],
      [400, 'Give a reason: it is stored, and the audit shows it'],
      [400, 'The reason is stored, and it names the person: write it without'],
      [
        400,
        expect.stringMatching(/^The reason is stored and printed in the receipt: write it without e-mail/u),
      ],
    ]);
    expect(JSON.stringify(await entries())).not.toMatch(/maria|asked by|of <cpf>/u);
    setup.clock.advance(600_000);
    expect((await start({})).body['message']).toBe('The plan is older than 10 minutes: make it again');
    expect(await setup.store.erasures()).toEqual([]);
  });

  it('rejects a long identifier and a long list at once, and repeats neither', async () => {
    const long = await setup.post('/api/erasures/plans', { identifiers: [`a@${'.x'.repeat(110_000)}@`] });
    const many = await setup.post('/api/erasures/plans', {
      identifiers: Array.from({ length: 51 }, () => CPF),
    });
    expect([long, many].map(({ status, body }) => [status, body['issues']])).toEqual([
      [400, [{ path: 'identifiers.0', message: 'Too big: expected string to have <=320 characters' }]],
      [400, [{ path: 'identifiers', message: 'Too big: expected array to have <=50 items' }]],
    ]);
    expect(JSON.stringify([long.body, many.body, setup.logged])).not.toMatch(/\.x\.x|12345678909/u);
  });

  it('rejects a reason that names a given subject, before the audit has it', async () => {
    const plan = tokenOf(await planned('company:2'));
    const start = (reason: string) =>
      setup.post('/api/erasures', { plan, identifiers: ['company:2'], reason });
    for (const reason of ['for company:2 of Ana', 'for Company-Login:2'])
      expect(await start(reason)).toMatchObject({
        status: 400,
        body: { message: 'The reason is stored, and it names the person: write it without' },
      });
    expect(JSON.stringify(await entries())).not.toMatch(/for company/iu);
    expect((await start('request company:25')).body).toMatchObject({ state: 'finished' });
  });

  it('searches for three persons at most, and tells others to try again', async () => {
    await setup.close();
    const gate = Promise.withResolvers<undefined>();
    setup = await setUpOps({
      wrapStore: (store) =>
        Object.assign(Object.create(store) as typeof store, {
          contents: async (...page: Parameters<typeof store.contents>) => {
            await gate.promise;
            return store.contents(...page);
          },
        }),
    });
    const plan = () => setup.post('/api/erasures/plans', { identifiers: [CPF] });
    const requests = Array.from({ length: 5 }, plan);
    const refused = await Promise.race(requests);
    expect(refused).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('try again') as string },
    });
    gate.resolve(undefined);
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 503, 503]);
    expect((await plan()).status).toBe(200);
  });

  it('starts once, however often it is sent', async () => {
    await indication(1);
    const plan = tokenOf(await planned(CPF));
    const request = { plan, identifiers: [CPF], reason: 'request 17' };
    const both = await Promise.all([
      setup.post('/api/erasures', request),
      setup.post('/api/erasures', request),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await setup.post('/api/erasures', request)).body).toMatchObject({ erasure: 'x1' });
    expect(await setup.store.erasures()).toHaveLength(1);
  });

  it('that the audit cannot record does not begin', async () => {
    await setup.close();
    let isFull = false;
    setup = await setUpOps({
      wrapStore: (store) =>
        Object.assign(Object.create(store) as typeof store, {
          appendAudit: (entry: Parameters<typeof store.appendAudit>[0]) =>
            isFull && entry.action === 'erasePerson'
              ? Promise.reject(new PortariaError('store-full', 'the disk is full'))
              : store.appendAudit(entry),
        }),
    });
    await indication(1);
    const run = await planned(CPF);
    isFull = true;
    const request = { plan: tokenOf(run), identifiers: [CPF], reason: 'request 17' };
    expect((await setup.post('/api/erasures', request)).status).toBe(503);
    expect(await setup.store.erasures()).toEqual([]);
    isFull = false;
    expect((await setup.post('/api/erasures', request)).body).toMatchObject({ erasure: 'x1' });
  });
});
