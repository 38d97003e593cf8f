import { expect, test } from 'vitest';
import type { AuditEntry, NewAuditEntry } from '../../../src/store/audit.ts';
import type { Store } from '../../../src/store/store.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

const start = Date.UTC(2026, 0, 1);

function entry(changes: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    at: start,
    place: 'console',
    actor: 'ana',
    address: '10.0.0.9',
    action: 'retryDeliveries',
    unmasked: false,
    subject: { path: '/failures/retry', delivery: 'd1, d12' },
    reason: null,
    result: 'done',
    status: 303,
    times: 1,
    ends: null,
    ...changes,
  };
}

const newest = { order: 'newest', limit: 100 } as const;

const idsOf = async (
  store: Store,
  filter: Parameters<Store['audit']>[0],
  page: Parameters<Store['audit']>[1] = newest,
): Promise<readonly string[]> => (await store.audit(filter, page)).map(({ id }) => id);

/** What the audit keeps. */
export function auditRules(kind: StoreKind): void {
  test('keeps entries in order, with every field, newest or oldest first, in pages', async () => {
    const { store } = await openFixture(kind);
    for (let at = 0; at < 5; at += 1)
      await store.appendAudit(entry({ at: start + at, reason: at === 2 ? 'the bank answers again' : null }));

    expect(await idsOf(store, {})).toEqual(['u5', 'u4', 'u3', 'u2', 'u1']);
    expect(await idsOf(store, {}, { order: 'newest', limit: 2, after: 'u4' })).toEqual(['u3', 'u2']);
    expect(await idsOf(store, {}, { order: 'oldest', limit: 2, after: 'u4' })).toEqual(['u5']);
    const { ends: _, ...fields } = entry({ at: start + 2, reason: 'the bank answers again' });
    const expected: AuditEntry = { id: 'u3', endedAt: null, ...fields };
    expect(await store.audit({}, { order: 'newest', limit: 1, after: 'u4' })).toEqual([expected]);
  });

  test('shows the begin and the end of an action as one, unfinished until it ends', async () => {
    const { store } = await openFixture(kind);
    const begun = await store.appendAudit(entry({ result: 'unfinished', status: null }));
    expect(await store.audit({}, newest)).toMatchObject([
      { id: begun, result: 'unfinished', status: null, endedAt: null },
    ]);

    const end = { ends: begun, at: start + 70, actor: null, subject: { plan: 'p3' } };
    await store.appendAudit(entry({ ...end, result: 'failed', status: 404 }));

    expect(await store.audit({}, newest)).toMatchObject([
      {
        id: begun,
        actor: 'ana',
        result: 'failed',
        status: 404,
        endedAt: start + 70,
        subject: { delivery: 'd1, d12', plan: 'p3' },
      },
    ]);
    expect(await idsOf(store, { result: 'failed' })).toEqual([begun]);
    expect(await idsOf(store, { result: 'unfinished' })).toEqual([]);
    expect(await idsOf(store, { subject: 'p3' })).toEqual([begun]);
  });

  test('ends an action once', async () => {
    const { store } = await openFixture(kind);
    const begun = await store.appendAudit(entry({ result: 'unfinished' }));
    await store.appendAudit(entry({ ends: begun }));
    await expect(store.appendAudit(entry({ ends: begun, result: 'failed' }))).rejects.toThrow();
    expect(await store.audit({}, newest)).toMatchObject([{ id: begun, result: 'done' }]);
  });

  test.each([
    [{ actor: 'ana' }, ['u3', 'u1']],
    [{ actor: 'ana@db1' }, ['u3']],
    [{ actor: 'an' }, []],
    [{ actor: "' or 1=1 --" }, []],
    [{ action: 'signIn' }, ['u2']],
    [{ subject: 'd12' }, ['u1']],
    [{ subject: 'd1' }, ['u3', 'u1']],
    [{ subject: 'd1, d12' }, ['u1']],
    [{ subject: '%' }, []],
    [{ place: 'command-line' }, ['u3']],
    [{ result: 'rejected' }, ['u2']],
    [{ unmasked: true }, ['u3']],
    [{ since: start + 1 }, ['u3', 'u2']],
    [{ since: start + 1, until: start + 2 }, ['u2']],
  ] as const)('selects by %j', async (filter, ids) => {
    const { store } = await openFixture(kind);
    await store.appendAudit(entry());
    await store.appendAudit(
      entry({ at: start + 1, actor: null, action: 'signIn', result: 'rejected', subject: {} }),
    );
    const cli = { place: 'command-line', actor: 'ana@db1', unmasked: true, subject: { id: 'd1' } } as const;
    await store.appendAudit(entry({ at: start + 2, ...cli }));
    expect(await idsOf(store, filter)).toEqual(ids);
  });

  test('is whole, and says by which mark a later check can be held against it', async () => {
    const { store } = await openFixture(kind);
    expect(await store.checkAudit()).toEqual({ entries: 0, last: null, prunedThrough: null, problems: [] });
    await store.appendAudit(entry());
    const first = await store.checkAudit();
    expect(first).toMatchObject({ entries: 1, problems: [], last: { id: 'u1' } });
    expect(first.last?.hash).toMatch(/^[0-9a-f]{64}$/u);
    await store.appendAudit(entry());

    expect((await store.checkAudit(first.last ?? undefined)).problems).toEqual([]);
    expect((await store.checkAudit({ id: 'u1', hash: '0'.repeat(64) })).problems).toEqual([
      { id: 'u1', problem: 'has another hash than the noted one' },
    ]);
    expect((await store.checkAudit({ id: 'u9', hash: '0'.repeat(64) })).problems).toEqual([
      { id: 'u9', problem: 'was noted earlier and is missing' },
    ]);
  });

  test('stays whole when another process appends beside it', async () => {
    const { store, openAgain } = await openFixture(kind);
    const guest = await openAgain('guest');
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? store : guest).appendAudit(entry({ at }))),
    );
    expect(await store.checkAudit()).toMatchObject({ entries: 20, last: { id: 'u20' }, problems: [] });
  });

  test('retention removes the oldest, says so, and the rest stays whole', async () => {
    const { store, clock } = await openFixture(kind);
    for (let at = 0; at < 6; at += 1) await store.appendAudit(entry({ at: start + at }));
    expect(await store.pruneAudit(start, 100)).toBe(0);

    expect(await store.pruneAudit(start + 4, 3)).toBe(3);
    expect(await store.pruneAudit(start + 4, 3)).toBe(1);

    expect(await store.audit({}, newest)).toMatchObject([
      {
        id: 'u8',
        place: 'serve',
        actor: null,
        action: 'pruneAudit',
        subject: { through: 'u4', entries: '1' },
      },
      { id: 'u7', subject: { through: 'u3', entries: '3' }, at: clock.now() },
      { id: 'u6' },
      { id: 'u5' },
    ]);
    expect(await store.checkAudit()).toMatchObject({ entries: 4, prunedThrough: 'u4', problems: [] });
  });

  test('an entry younger than the period keeps those behind it, also when the clock was set back', async () => {
    const { store } = await openFixture(kind);
    for (const at of [0, 50, 1]) await store.appendAudit(entry({ at: start + at }));
    expect(await store.pruneAudit(start + 10, 100)).toBe(1);
    expect(await idsOf(store, { place: 'console' })).toEqual(['u3', 'u2']);
  });

  test('remembers a session that was signed out until it would have ended', async () => {
    const { store, clock, openAgain } = await openFixture(kind);
    await store.endSession('one', clock.now() + 1_000);
    const other = await openAgain('guest');
    expect([await store.isSessionEnded('one'), await other.isSessionEnded('one')]).toEqual([true, true]);
    expect(await store.isSessionEnded('other')).toBe(false);
    clock.advance(2_000);
    await store.endSession('other', clock.now() + 1_000);
    expect(await store.isSessionEnded('one')).toBe(false);
  });
}
