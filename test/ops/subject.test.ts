import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { openOpsDesk, type OpsDesk, type Row } from './ops-desk.ts';

let desk: OpsDesk;

beforeEach(async () => {
  desk = await openOpsDesk();
});
afterEach(() => desk.close());

const { data: company } = fixture('company.created');

const updated = (day: number, changes: object) => ({
  type: 'company.updated',
  data: { ...company, updated_at: `2026-11-${String(day).padStart(2, '0')}T12:00:00Z`, ...changes },
});

async function timeline(path: string): Promise<readonly Row[]> {
  const { status, body } = await desk.get(path);
  expect(status).toBe(200);
  return body['events'] as Row[];
}

describe('a subject’s timeline', () => {
  it('tells what changed from each event to the next', async () => {
    const first = await desk.receive(updated(5, { name: 'Azul' }));
    const second = await desk.receive(updated(6, { name: 'Verde', certificate: null }));
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

  it('compares a stale event with the one before it in version order, and the next with the latest', async () => {
    const fifth = await desk.receive(updated(5, { name: 'five' }));
    const eighth = await desk.receive(updated(8, { name: 'eight' }));
    const sixth = await desk.receive(updated(6, { name: 'six' }));
    const ninth = await desk.receive(updated(9, { name: 'nine' }));
    const second = await desk.receive(updated(2, { name: 'two' }));
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

  it('lists a personal field that changed without its values, until asked', async () => {
    await desk.receive(updated(5, { tax_id: '11222333000181' }));
    await desk.receive(updated(6, { tax_id: '12ABC34501DE35' }));
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

  it('never compares what different sources sent, and shows one of them when asked', async () => {
    const here = await desk.receive(updated(5, { name: 'here' }));
    const there = await desk.receive(updated(6, { name: 'there' }), { source: 'other' });
    expect(await timeline('/api/subjects/company:47')).toMatchObject([
      { id: here.id, source: 'default', compared_with: null },
      { id: there.id, source: 'other', compared_with: null },
    ]);
    expect(await timeline('/api/subjects/company:47?source=other')).toMatchObject([{ id: there.id }]);
  });

  it('has each event’s deliveries and repeats', async () => {
    const { type, data } = fixture('charge.updated');
    await desk.receive({ type, data: { ...data, id: 5 } });
    await desk.receive({ type, data: { ...data, id: 5 } });
    await desk.settle();
    const events = await timeline('/api/subjects/charge:5');
    expect(events).toMatchObject([
      { repeats: 1, deliveries: [{ handler: 'billing' }, { handler: 'charge-status' }] },
    ]);
  });

  it('comes in pages, from either end, with what each event is compared with on another page', async () => {
    const ids: (string | null)[] = [];
    for (let day = 1; day <= 9; day += 1)
      ids.push((await desk.receive(updated(day, { name: String(day) }))).id);
    const late = await desk.receive(updated(2, { name: 'late' }));

    for (const order of ['oldest', 'newest']) {
      const expected = [...ids, late.id];
      if (order === 'newest') expected.reverse();
      const seen: Row[] = [];
      let next: string | null = '';
      while (next !== null) {
        const cursor = next === '' ? '' : `&cursor=${next}`;
        const { body } = await desk.get(`/api/subjects/company:47?limit=3&order=${order}${cursor}`);
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

  it('is one page for a small subject, and refuses a cursor that is none', async () => {
    await desk.receive(updated(5, { name: 'Azul' }));
    const { body } = await desk.get('/api/subjects/company:47');
    expect([body['total'], body['next']]).toEqual([1, null]);
    expect(await desk.get('/api/subjects/company:47?cursor=x')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'cursor' }] },
    });
  });

  it('takes ids with colons and slashes', async () => {
    const { type, data } = fixture('console-user.created');
    await desk.receive({ type, data: { ...data, id: 'org:7/a b' } });
    const [event] = await timeline(`/api/subjects/${encodeURIComponent('console-user:org:7/a b')}`);
    expect(event?.['subject']).toBe('console-user:org:7/a b');
  });

  it('is 404 for a subject of which nothing came, and 400 for what is no subject', async () => {
    expect(await desk.get('/api/subjects/company:1')).toMatchObject({
      status: 404,
      body: { message: 'Nothing was received of company:1' },
    });
    expect(await desk.get('/api/subjects/company')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'subject' }] },
    });
  });
});
