/** The timeline of a subject in the operators' API. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { setUpOps, type OpsSetup, type Row } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const { data: company } = fixture('company.created');

const updated = (day: number, changes: object) => ({
  type: 'company.updated',
  data: { ...company, updated_at: `2026-11-${String(day).padStart(2, '0')}T12:00:00Z`, ...changes },
});

async function timeline(path: string): Promise<readonly Row[]> {
  const { status, body } = await setup.get(path);
  expect(status).toBe(200);
  return body['events'] as Row[];
}

describe('a subject’s timeline', () => {
  it('lists the changes from each event to the next', async () => {
    const first = await setup.receive(updated(5, { name: 'Azul' }));
    const second = await setup.receive(updated(6, { name: 'Verde', certificate: null }));
    const events = await timeline('/api/subjects/company:47');
    expect(events).toMatchObject([
      { id: first.id, verdict: 'new', compared_with: null, changes: [] },
      { id: second.id, verdict: 'new', compared_with: first.id },
    ]);
    expect(events[1]?.['changes']).toEqual([
      { path: 'data.name', from: 'Azul', to: 'Verde' },
      { path: 'data.certificate', from: company['certificate'], to: null },
      { path: 'data.updated_at', from: '2026-11-05T12:00:00Z', to: '2026-11-06T12:00:00Z' },
    ]);
  });

  it('compares a stale event with the previous one in version order, and the next with the latest', async () => {
    const fifth = await setup.receive(updated(5, { name: 'five' }));
    const eighth = await setup.receive(updated(8, { name: 'eight' }));
    const sixth = await setup.receive(updated(6, { name: 'six' }));
    const ninth = await setup.receive(updated(9, { name: 'nine' }));
    const second = await setup.receive(updated(2, { name: 'two' }));
    expect(
      (await timeline('/api/subjects/company:47')).map((row) => [
        row['id'],
        row['verdict'],
        row['compared_with'],
      ]),
    ).toEqual([
      [fifth.id, 'new', null],
      [eighth.id, 'new', fifth.id],
      [sixth.id, 'stale', fifth.id],
      [ninth.id, 'new', eighth.id],
      [second.id, 'stale', null],
    ]);
  });

  it('lists a changed personal field with masked values by default', async () => {
    await setup.receive(updated(5, { tax_id: '11222333000181' }));
    await setup.receive(updated(6, { tax_id: '12ABC34501DE35' }));
    const masked = await timeline('/api/subjects/company:47');
    expect(masked[1]?.['changes']).toContainEqual({ path: 'data.tax_id', from: '***', to: '***' });
    expect(JSON.stringify(masked)).not.toContain('11222333000181');
    const whole = await timeline('/api/subjects/company:47?unmask=true');
    expect(whole[1]?.['changes']).toContainEqual({
      path: 'data.tax_id',
      from: '11222333000181',
      to: '12ABC34501DE35',
    });
  });

  it('never compares events of different sources, and filters by source', async () => {
    const here = await setup.receive(updated(5, { name: 'here' }));
    const there = await setup.receive(updated(6, { name: 'there' }), { source: 'other' });
    expect(await timeline('/api/subjects/company:47')).toMatchObject([
      { id: here.id, source: 'default', compared_with: null },
      { id: there.id, source: 'other', compared_with: null },
    ]);
    expect(await timeline('/api/subjects/company:47?source=other')).toMatchObject([{ id: there.id }]);
  });

  it('has each event’s deliveries and repeats', async () => {
    const { type, data } = fixture('charge.updated');
    await setup.receive({ type, data: { ...data, id: 5 } });
    await setup.receive({ type, data: { ...data, id: 5 } });
    await setup.settle();
    const events = await timeline('/api/subjects/charge:5');
    expect(events).toMatchObject([
      { repeats: 1, deliveries: [{ handler: 'billing' }, { handler: 'charge-status' }] },
    ]);
  });

  it('has pages in both orders, and compares with events of other pages', async () => {
    const ids: (string | null)[] = [];
    for (let day = 1; day <= 9; day += 1)
      ids.push((await setup.receive(updated(day, { name: String(day) }))).id);
    const late = await setup.receive(updated(2, { name: 'late' }));

    for (const order of ['oldest', 'newest']) {
      const expected = [...ids, late.id];
      if (order === 'newest') expected.reverse();
      const seen: Row[] = [];
      let next: string | null = '';
      while (next !== null) {
        const cursor = next === '' ? '' : `&cursor=${next}`;
        const { body } = await setup.get(`/api/subjects/company:47?limit=3&order=${order}${cursor}`);
        const events = body['events'] as Row[];
        expect(body['total']).toBe(10);
        expect(events.length).toBeLessThanOrEqual(3);
        seen.push(...events);
        next = body['next'] as string | null;
      }
      expect(seen.map((row) => row['id'])).toEqual(expected);
      const before = (id: string | null) => seen.find((row) => row['id'] === id)?.['compared_with'];
      expect([before(ids[0]!), before(ids[8]!), before(late.id)]).toEqual([null, ids[7], ids[1]]);
    }
  });

  it('is one page for a small subject, and rejects an invalid cursor', async () => {
    await setup.receive(updated(5, { name: 'Azul' }));
    const { body } = await setup.get('/api/subjects/company:47');
    expect([body['total'], body['next']]).toEqual([1, null]);
    expect(await setup.get('/api/subjects/company:47?cursor=x')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'cursor' }] },
    });
  });

  it('takes ids with colons and slashes', async () => {
    const { type, data } = fixture('console-user.created');
    await setup.receive({ type, data: { ...data, id: 'org:7/a b' } });
    const [event] = await timeline(`/api/subjects/${encodeURIComponent('console-user:org:7/a b')}`);
    expect(event?.['subject']).toBe('console-user:org:7/a b');
  });

  it('is 404 for a subject without events, and 400 for an invalid subject', async () => {
    expect(await setup.get('/api/subjects/company:1')).toMatchObject({
      status: 404,
      body: { message: 'There are no events of company:1' },
    });
    expect(await setup.get('/api/subjects/company')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'subject' }] },
    });
  });
});
