import { expect, it } from 'vitest';
import { specification } from '../../../src/contract/specification.ts';
import { eraseAgain } from '../../../src/privacy/erase-person.ts';
import { hashIdentifier } from '../../../src/privacy/person.ts';
import type {
  ContentChange,
  ContentOutcome,
  ContentPlace,
  StoredContent,
} from '../../../src/store/privacy.ts';
import { keyedIds } from '../../../src/store/erased-content.ts';
import type { Store } from '../../../src/store/store.ts';
import { bytes, sampleEvent, sampleRejection, undecidedEvent } from '../sample-event.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';
import { createReplay } from '../../support/replay-job.ts';

const user = { type: 'subject', value: 'user:77' } as const;
const original = bytes('{"type":"company.updated","data":{"id":1,"tax_id":"12345678909"}}');
const erased = bytes('{"type":"company.updated","data":{"id":1,"tax_id":null}}');

async function contentsOf(store: Store, place: ContentPlace): Promise<readonly StoredContent[]> {
  return store.contents(place, { after: 0, limit: 100 });
}

async function erase(store: Store, changes: readonly ContentChange[]): Promise<readonly ContentOutcome[]> {
  await store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers: [] });
  return store.eraseContents(changes);
}

async function eraseBody(store: Store, place: 'event' | 'quarantine'): Promise<readonly string[]> {
  const rows = await contentsOf(store, place);
  return erase(
    store,
    rows.flatMap(({ row, body }) =>
      body === null ? [] : [{ place, row, body: { before: body, after: erased } }],
    ),
  );
}

/** Finding and erasing personal content. */
export function privacyRules(kind: StoreKind): void {
  it('reads the content of each place in order, in pages', async () => {
    const { store, stored, claimOne, clock } = await openFixture(kind);
    const first = await stored({ body: original, messageId: 'm-1', headers: { 'user-agent': 'sender' } });
    await stored({ subject: 'company:2', content: 'other' }, []);
    await store.quarantine(sampleRejection({ body: original }));
    const delivery = await claimOne();
    const change = { machine: 'm', state: { a: 1 }, version: null, lastEventId: first, revision: 0 };
    const anomalies = [{ eventId: first, message: 'odd' }];
    const effects = [{ eventId: first, name: 'tell', change: { after: 1 }, late: false }];
    const machine = { ...change, anomalies, refolded: true, effects };
    await store.complete(delivery, { status: 'succeeded', machine }, { now: clock.now(), next: false });
    await createReplay(
      store,
      { filter: { flag: 'x' }, handlers: [], ifNotSucceeded: false, target: 'http://t' },
      1,
    );

    const [event, other] = await contentsOf(store, 'event');
    expect(event).toMatchObject({
      id: first,
      source: 'default',
      kind: 'company.updated',
      subject: { family: 'company', id: '1' },
      at: clock.now(),
      body: original,
      texts: { headers: '{"user-agent":"sender"}', message_id: 'm-1' },
    });
    expect(await store.contents('event', { after: event!.row, limit: 1 })).toEqual([other]);
    expect(await store.contents('event', { after: other!.row, limit: 1 })).toEqual([]);
    expect(await contentsOf(store, 'quarantine')).toMatchObject([
      { id: 'q1', body: original, texts: { message: 'does not fit', kind: 'company.updated' } },
    ]);
    expect(await contentsOf(store, 'state')).toMatchObject([{ id: 'm', texts: { state: '{"a":1}' } }]);
    expect(await contentsOf(store, 'anomaly')).toMatchObject([{ texts: { message: 'odd' } }]);
    expect(await contentsOf(store, 'job')).toMatchObject([
      { id: 'j1', texts: { selection: expect.stringContaining('"target":"http://t"') as string } },
    ]);
    expect(await contentsOf(store, 'subject')).toMatchObject([{ id: 'company:1' }, { id: 'company:2' }]);
    expect((await store.derivedContents(first)).map(({ place }) => place).toSorted()).toEqual([
      'anomaly',
      'delivery',
      'delivery',
      'state',
    ]);
  });

  it('erases nothing when a hold was placed since the holds were read', async () => {
    const { store, stored } = await openFixture(kind);
    const id = await stored({ body: original });
    const [{ row, body }] = (await contentsOf(store, 'event')) as [StoredContent & { body: Uint8Array }];
    const changes = [{ place: 'event', row, body: { before: body, after: erased } }] as const;
    const other = { family: 'user', id: '77' };
    await store.hold([other], { reason: 'case 12', placedBy: 'dpo' });
    await erase(store, []);
    expect(await store.eraseContents(changes, { knownHolds: [] })).toEqual(['outdated']);
    expect((await store.event(id))?.body).toEqual(original);
    expect(await store.eraseContents(changes, { knownHolds: [other] })).toEqual(['changed']);
  });

  it('keeps identity, version and verdict of an erased event, and flags it', async () => {
    const { store, stored } = await openFixture(kind);
    const id = await stored({ body: original, version: '1', flags: ['check-digits'] });
    const before = await store.event(id);
    expect(await eraseBody(store, 'event')).toEqual(['changed']);
    expect(await store.event(id)).toEqual({ ...before, body: erased, flags: ['check-digits', 'erased'] });
  });

  it('finds a subject that is called by a digest without a key, and an erasure gives it the keyed id', async () => {
    const { store } = await openFixture(kind);
    const formerId = `content-${'0'.repeat(32)}`;
    const subject = { family: 'any', id: keyedIds(await store.erasureKey())(formerId) };
    const before = sampleEvent({ subject: `any:${formerId}`, body: original });
    const now = { ...before, subject, formerId };
    const { id } = (await store.accept(before, [])) as { readonly id: string };
    const duplicate = { status: 'duplicate', id };
    const predicted = await store.predictVerdicts([{ source: 'default', recognized: true, ...now }]);
    expect(predicted).toEqual(['duplicate']);
    expect(await store.accept(now, [])).toEqual(duplicate);
    expect(await eraseBody(store, 'event')).toEqual(['changed']);
    expect((await store.event(id))?.subject).toEqual(subject);
    expect(await store.accept(now, [])).toEqual(duplicate);
  });

  it.each([
    ['by its content', {}],
    ['by its message id', { messageId: 'm-1' }],
  ])('recognizes a repeat of the original of an erased event %s', async (_how, more) => {
    const { store, stored, accept } = await openFixture(kind);
    const id = await stored({ body: original, ...more });
    await eraseBody(store, 'event');
    expect(await accept({ body: original, ...more })).toEqual({ status: 'duplicate', id });
    expect(await store.event(id)).toMatchObject({ repeats: 1, body: erased });
    expect(await store.predictVerdicts([undecidedEvent(more)])).toEqual(['duplicate']);
    expect(await accept({ content: 'news', ...more, messageId: 'm-2' })).toMatchObject({ status: 'stored' });
  });

  it('still finds another content under the message id of an erased event', async () => {
    const { store, stored, accept } = await openFixture(kind);
    await stored({ body: original, messageId: 'm-1' });
    await eraseBody(store, 'event');
    expect(await accept({ content: 'other', messageId: 'm-1' })).toMatchObject({ status: 'conflict' });
  });

  it('takes a copy of an erased event for the event: the original and the erased one', async () => {
    const { store, clock } = await openFixture(kind);
    const event = sampleEvent({ body: original, receivedAt: clock.now() });
    await store.accept(event, []);
    await eraseBody(store, 'event');
    const copies = [event, sampleEvent({ body: erased, content: 'erased', receivedAt: clock.now() })];
    for (const copy of copies)
      expect(await store.accept(copy, [], { copied: true })).toMatchObject({ status: 'duplicate' });
    const [row] = await store.events({}, { order: 'oldest', limit: 10 });
    expect(row?.repeats).toBe(0);
  });

  it('counts the repeat of an erased entry on it, and keeps the bytes of the quota exact', async () => {
    const { store } = await openFixture(kind);
    await store.quarantine(sampleRejection({ body: original }));
    const { quarantineBytes } = await store.totals();
    expect(await eraseBody(store, 'quarantine')).toEqual(['changed']);
    const after = await store.totals();
    expect(quarantineBytes - after.quarantineBytes).toBe(original.length - erased.length);
    expect(await store.quarantine(sampleRejection({ body: original }))).toMatchObject({
      id: 'q1',
      repeat: true,
    });
    expect((await store.quarantinedDelivery('q1'))?.body).toEqual(erased);
  });

  it('leaves a row that changed since it was read', async () => {
    const { store, stored } = await openFixture(kind);
    const id = await stored({ body: original });
    const [event] = await contentsOf(store, 'event');
    const change = { place: 'event', row: event!.row, body: { before: erased, after: original } } as const;
    expect(await store.eraseContents([change])).toEqual(['outdated']);
    expect((await store.event(id))?.flags).toEqual([]);
  });

  it('makes a fold that has read an erased state fail', async () => {
    const { store, stored, clock } = await openFixture(kind);
    const lastEventId = await stored({ body: original });
    const subject = { family: 'company', id: '1' };
    const commit = { machine: 'm', version: null, lastEventId, anomalies: [], refolded: true, effects: [] };
    await store.commitMachine('default', subject, { ...commit, state: 'Ana', revision: 0 }, clock.now());
    const [state] = await contentsOf(store, 'state');
    const texts = { state: { before: '"Ana"', after: '"[erased]"' } };
    expect(await erase(store, [{ place: 'state', row: state!.row, texts }])).toEqual(['changed']);
    await expect(
      store.commitMachine('default', subject, { ...commit, state: 'Ana again', revision: 1 }, clock.now()),
    ).rejects.toMatchObject({ code: 'machine-conflict' });
    expect(await store.machineState('m', 'default', subject)).toMatchObject({
      state: '[erased]',
      revision: 2,
    });
  });

  it('erases the state that pruned events left, and makes a fold that has read it fail', async () => {
    const { store, stored, clock } = await openFixture(kind);
    const lastEventId = await stored({ body: original });
    const subject = { family: 'company', id: '1' };
    const commit = { machine: 'm', version: null, lastEventId, anomalies: [], refolded: true, effects: [] };
    const base = { state: { name: 'Ana' }, through: 1 };
    await store.commitMachine('default', subject, { ...commit, state: 1, revision: 0, base }, clock.now());
    const [found] = await contentsOf(store, 'base');
    expect(found).toMatchObject({ id: 'm', source: 'default', subject, texts: { state: '{"name":"Ana"}' } });
    expect(await store.derivedContents(lastEventId)).toContainEqual(found);
    const { erased: before } = await store.versionOrder({ source: 'default', subject });

    const texts = { state: { before: '{"name":"Ana"}', after: '{"name":"[erased]"}' } };
    expect(await erase(store, [{ place: 'base', row: found!.row, texts }])).toEqual(['changed']);

    expect(await store.machineBase('m', 'default', subject)).toEqual({
      state: { name: '[erased]' },
      through: 1,
    });
    await expect(
      store.commitMachine('default', subject, { ...commit, state: 2, revision: 1 }, clock.now()),
    ).rejects.toMatchObject({ code: 'machine-conflict' });
    // A remembered fold of earlier content is forgotten.
    expect((await store.versionOrder({ source: 'default', subject })).erased).toBe(before + 1);
  });

  it('tells folds of a subject that its events were erased', async () => {
    const { store, stored } = await openFixture(kind);
    await stored({ body: original });
    const request = { source: 'default', subject: { family: 'company', id: '1' } };
    expect((await store.versionOrder(request)).erased).toBe(0);
    await eraseBody(store, 'event');
    expect((await store.versionOrder(request)).erased).toBe(1);
  });

  it('keeps one subject for an id that was erased', async () => {
    const { store, stored } = await openFixture(kind);
    const subject = 'driver:123.456.789-09';
    await stored({ subject });
    const [row] = await contentsOf(store, 'subject');
    const entity = row!.texts['entity']!;
    const texts = { entity: { before: entity, after: entity } };
    await erase(store, [{ place: 'subject', row: row!.row, texts }]);
    await stored({ subject, content: 'news' });
    const subjects = await contentsOf(store, 'subject');
    expect(subjects.map(({ id }) => id)).toEqual([expect.stringMatching(/^driver:erased-[0-9a-f]{32}$/)]);
  });

  it('counts running deliveries of erased events', async () => {
    const { store, stored, claimOne, succeed } = await openFixture(kind);
    await stored({ body: original });
    const delivery = await claimOne();
    expect(await store.runningErased()).toBe(0);
    await eraseBody(store, 'event');
    expect(await store.runningErased()).toBe(1);
    await succeed(delivery);
    expect(await store.runningErased()).toBe(0);
  });

  it('keeps the content of held subjects', async () => {
    const { store, stored, clock } = await openFixture(kind);
    const id = await stored({ body: original });
    const subjects = [
      { family: 'company', id: '1' },
      { family: 'company-login', id: '1' },
    ];
    await store.hold(subjects, { reason: 'case 1', placedBy: 'ana' });
    await store.hold(subjects, { reason: 'case 2', placedBy: 'bruno' });
    expect(await store.holds()).toEqual(
      subjects.map((subject) => ({ subject, reason: 'case 1', placedBy: 'ana', placedAt: clock.now() })),
    );
    expect(await eraseBody(store, 'event')).toEqual(['held']);
    expect((await store.event(id))?.body).toEqual(original);
    expect(await store.removeHolds(subjects)).toBe(2);
    expect(await store.removeHolds(subjects)).toBe(0);
    expect(await eraseBody(store, 'event')).toEqual(['changed']);
  });

  it('erases again only people of whom no subject is held', async () => {
    const { store, stored, clock } = await openFixture(kind);
    const held = await stored({ body: original });
    const body = bytes('{"type":"company.updated","data":{"id":2,"tax_id":"98765432100"}}');
    const free = await stored({ subject: 'company:2', body });
    const key = await store.erasureKey();
    for (const identifiers of [
      [hashIdentifier({ type: 'cpf', value: '12345678909' }, key), hashIdentifier(user, key)],
      [hashIdentifier({ type: 'cpf', value: '98765432100' }, key)],
    ])
      await store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers });
    await store.hold([{ family: 'user', id: '77' }], { reason: 'case 12', placedBy: 'rui' });
    const again = { store, contract: specification, clock };

    expect(await eraseAgain(again)).toMatchObject({ rows: { event: 1 }, held: 0, keptByHold: ['x1'] });
    expect((await store.event(held))?.body).toEqual(original);
    expect((await store.event(free))?.flags).toContain('erased');
    expect((await store.erasures()).map(({ finishedAt }) => finishedAt !== null)).toEqual([false, true]);

    await store.removeHolds([{ family: 'user', id: '77' }]);
    expect(await eraseAgain(again)).toMatchObject({ rows: { event: 1 }, complete: true, keptByHold: [] });
    expect((await store.event(held))?.flags).toContain('erased');
  });

  it('keeps a ledger of erasures', async () => {
    const { store, clock } = await openFixture(kind);
    const identifiers = [{ type: 'cpf', hash: 'abc' }];
    const id = await store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers });
    const begun = {
      id,
      startedAt: clock.now(),
      finishedAt: null,
      requestedBy: 'dpo',
      reason: 'asked',
      identifiers,
    };
    expect(await store.erasures()).toEqual([{ ...begun, runs: [], receipt: null }]);
    await store.finishErasure(id, '{}');
    expect(await store.erasures()).toEqual([{ ...begun, finishedAt: clock.now(), runs: [], receipt: '{}' }]);
    await expect(store.finishErasure(id, '{"later":1}')).rejects.toMatchObject({ code: 'not-found' });
    expect(await store.erasures(), 'the first receipt stays').toMatchObject([{ receipt: '{}' }]);
    await expect(store.finishErasure('x99', '{}')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('keeps the receipt that an erasure brings from another copy of the store', async () => {
    const { store } = await openFixture(kind);
    const known = { requestedBy: 'dpo', reason: 'asked', identifiers: [], receipt: '{"erasure":"x7"}' };
    const [repeated, erasedHere] = [await store.beginErasure(known), await store.beginErasure(known)];
    await store.finishErasure(repeated, null);
    await store.finishErasure(erasedHere, '{}');
    expect((await store.erasures()).map(({ receipt }) => receipt)).toEqual([known.receipt, known.receipt]);
  });

  it('keeps what each run of an erasure erased, with what it erased and nothing else', async () => {
    const { store, stored } = await openFixture(kind);
    const [cpf, mail] = [
      { type: 'cpf', hash: 'abc' },
      { type: 'email', hash: 'def' },
    ];
    const erasure = await store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers: [cpf] });
    const change = async (id: string, outdated = false): Promise<ContentChange> => {
      const row = (await contentsOf(store, 'event')).find((content) => content.id === id)!;
      return { place: 'event', row: row.row, body: { before: outdated ? erased : row.body!, after: erased } };
    };
    const [first, second] = [
      await stored({ body: original }),
      await stored({ body: original, content: 'B' }),
    ];
    const runs = async () => (await store.erasures())[0]?.runs;

    await store.eraseContents([await change(first, true)], { erasure });
    expect(await runs(), 'no run has begun').toEqual([]);
    await store.beginErasureRun(erasure, { identifiers: [cpf], process: 'one:1', startedAt: 1_000 });
    const page = [await change(first), await change(second, true)];
    expect(await store.eraseContents(page, { erasure })).toEqual(['changed', 'outdated']);
    await store.beginErasureRun(erasure, { identifiers: [cpf, mail], process: 'two:2', startedAt: 2_000 });
    await store.eraseContents([await change(second)], { erasure });
    await store.eraseContents([await change(second)], { erasure });

    expect(await store.erasures()).toMatchObject([
      {
        identifiers: [cpf, mail],
        runs: [
          { process: 'one:1', startedAt: 1_000, rows: { event: 1 } },
          { process: 'two:2', startedAt: 2_000, rows: { event: 2 } },
        ],
      },
    ]);
    await store.finishErasure(erasure, '{}');
    const late = { identifiers: [cpf], process: 'two:2', startedAt: 3_000 };
    await expect(store.beginErasureRun(erasure, late)).rejects.toMatchObject({ code: 'not-found' });
    expect(await runs()).toHaveLength(2);
  });

  it('erases once at a time, and says which process erases and since when', async () => {
    const { store, openAgain } = await openFixture(kind);
    const other = await openAgain('guest');
    expect(await other.erasing()).toBeNull();
    await store.eraseAlone(async ({ process: own, since, signal }) => {
      expect(own).toMatch(new RegExp(`^.+:${String(process.pid)}$`, 'u'));
      expect(await store.erasing()).toEqual({ process: own, since });
      expect(await other.erasing()).toEqual({ process: own, since });
      expect(signal.aborted).toBe(false);
      for (const one of [store, other])
        await expect(one.eraseAlone(async () => 'erased')).rejects.toMatchObject({
          code: 'erasure-refused',
          message: `Another erasure runs in the process ${own} since ${new Date(since).toISOString()}: start this one when it has ended`,
        });
      expect(await other.erasing(), 'a refused one takes nothing').toEqual({ process: own, since });
    });
    expect(await other.erasing()).toBeNull();
    await expect(store.eraseAlone(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await other.eraseAlone(async () => 'erased')).toBe('erased');
  });

  it('has a key of its own, and empties its log', async () => {
    const [one, other] = [await openFixture(kind), await openFixture(kind)];
    const key = await one.store.erasureKey();
    expect(key).toHaveLength(32);
    expect(await one.store.erasureKey()).toEqual(key);
    expect(await other.store.erasureKey()).not.toEqual(key);
    expect(await one.store.truncateLog()).toBe(true);
  });
}
