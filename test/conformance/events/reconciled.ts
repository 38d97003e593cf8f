import { expect, test } from 'vitest';
import { specification } from '../../../src/contract/specification.ts';
import type { JsonObject } from '../../../src/kernel/json/json.ts';
import { eraseAgain } from '../../../src/privacy/erase-person.ts';
import { hashIdentifier } from '../../../src/privacy/person.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { reconciledWorld } from '../reconciled-world.ts';
import type { StoreKind } from '../store-place.ts';

const charge = (status: string): JsonObject => ({
  ...{ id: 1, type: 'fee', status, amount: 12.5, company: { id: 7, name: 'Serra Azul' } },
});
/** As a webhook has it (specification, Event kinds). */
const told = (status: string): JsonObject => ({
  ...charge(status),
  company: { id: 7, name: 'Serra Azul', tax_id: '11222333000181' },
});
const TAX_ID = '11222333000181';
const user = (name: string, at: string): JsonObject => ({
  ...{ id: 'u1', name, email: 'ana@frota.example', updated_at: `2026-01-01T${at}:00.000Z` },
});
const company = (name: string, at: string): JsonObject => ({
  ...{ id: 1, tax_id: TAX_ID, name, updated_at: `2026-01-01T${at}:00.000Z` },
});

async function eraseAna({ store, clock }: StoreFixture): Promise<void> {
  const key = await store.erasureKey();
  const identifiers = [hashIdentifier({ type: 'email', value: 'ana@frota.example' }, key)];
  await store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers });
  await eraseAgain({ store, contract: specification, clock });
}

/** Repairs, and the webhooks that come late. */
export function reconciledRules(kind: StoreKind): void {
  test('given a record that no webhook told, its repair is an event, and the late webhook a repeat that fills it in', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    world.records.set('/charges/1', charge('pending'));

    const id = await world.repair('charge:1');
    await world.run();
    expect(await fixture.store.event(id ?? '')).toMatchObject({
      kind: 'charge.created',
      verdict: 'new',
      flags: ['reconciled'],
    });
    expect(await world.told('charge:1')).toEqual(['pending']);

    const late = { messageId: 'm1' };
    expect(await world.webhook('charge.created', told('pending'), late)).toEqual({ status: 'duplicate', id });
    expect(await world.webhook('charge.created', told('pending'), late)).toEqual({ status: 'duplicate', id });
    await world.run();
    expect(await world.newest('charge:1')).toEqual(told('pending'));
    expect(world.heard).toEqual([{ handler: 'clerk', text: 'pending' }]);
    expect(await world.told('charge:1')).toEqual([`pending ${TAX_ID}`]);
    expect(await fixture.store.event(id ?? '')).toMatchObject({ messageId: 'm1', repeats: 2 });
  });

  test('given many late webhooks after the newest, the repair begins with the newest', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    await world.webhook('console-user.created', user('Ana', '12:00'));
    for (let minute = 10; minute < 31; minute += 1)
      await world.webhook('console-user.updated', user('Ana', `11:${String(minute)}`));
    world.records.set('/console/users/u1', user('Ana', '12:00'));
    expect(await world.repair('console-user:u1')).toBeNull();
    world.records.set('/console/users/u1', user('Bia', '13:00'));
    expect(await world.repair('console-user:u1')).not.toBeNull();
    expect(await world.newest('console-user:u1')).toEqual(user('Bia', '13:00'));
  });

  test('given a webhook that was told, its record repairs nothing', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    world.records.set('/charges/1', charge('pending'));
    await world.webhook('charge.created', told('pending'));
    expect(await world.repair('charge:1')).toBeNull();
  });

  test('given a webhook that comes while the record is read, the repair leaves it alone', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    world.records.set('/charges/1', charge('pending'));
    world.before = () => {
      world.before = () => Promise.resolve();
      return world.webhook('charge.created', told('pending'));
    };
    expect(await world.repair('charge:1')).toBeNull();
    await world.run();
    expect(world.heard).toHaveLength(1);
  });

  test('given a late webhook of another kind, it is a repeat, and only a handler that the repair left out hears of it', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    await world.webhook('company.created', company('Serra', '10:00'));
    world.records.set('/companies/1', company('Serra Azul', '11:00'));
    const id = await world.repair('company:1');
    const late = await world.webhook('company.certificate.updated', company('Serra Azul', '11:00'));
    expect(late).toEqual({ status: 'duplicate', id });
    await world.run();
    const heard = world.heard.filter(({ text }) => text === 'Serra Azul').map(({ handler }) => handler);
    expect(heard.toSorted()).toEqual(['clerk', 'locksmith']);
  });

  test('given a webhook with another content of the same version, it is a change of its own', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    world.records.set('/console/users/u1', user('Ana', '10:00'));
    await world.repair('console-user:u1');
    expect(await world.webhook('console-user.created', user('Bia', '10:00'))).toMatchObject({
      status: 'stored',
    });
  });

  test('given no version, a webhook of other content after the repair is ambiguous: the provider says which is newer', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    world.records.set('/charges/1', charge('paid'));
    await world.repair('charge:1');
    expect(await world.webhook('charge.updated', told('pending'))).toMatchObject({ verdict: 'ambiguous' });
    await world.run();
    expect(await world.newest('charge:1')).toEqual(charge('paid'));
    expect(world.heard).toEqual([{ handler: 'clerk', text: 'paid' }]);
    expect(await world.webhook('charge.updated', told('paid'))).toMatchObject({ status: 'duplicate' });
  });

  test('given a removed console user, the repair tells the deletion; of a removed charge there is no event', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    await world.webhook('console-user.created', user('Ana', '10:00'));
    await world.webhook('charge.created', told('pending'));
    expect(await world.repair('charge:1')).toBeNull();
    expect(await world.repair('company:..'), 'an id of another path').toBeNull();
    expect(await world.repair('console-user:u1'), 'a 404 may be that of a proxy').toBeNull();
    fixture.clock.advance(60_001);
    world.records.set('/console/users/u2', { ...user('Bia', '10:00'), id: 'u2' });
    const id = await world.repair('console-user:u1');
    expect(await fixture.store.event(id ?? '')).toMatchObject({ kind: 'console-user.deleted' });
    expect(await world.repair('console-user:u1')).toBeNull();
  });

  test('a repair is told to whom it says', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    world.records.set('/charges/1', charge('pending'));
    world.records.set('/console/users/u1', user('Ana', '10:00'));
    await world.repair('charge:1', 'machines');
    await world.repair('console-user:u1', 'none');
    await world.run();
    expect(world.heard).toEqual([]);
    expect(await world.told('charge:1')).toEqual(['pending']);
    expect(await world.told('console-user:u1')).toBeUndefined();

    // Its handlers hear of a webhook that was on its way.
    await world.webhook('charge.created', told('pending'));
    await world.webhook('charge.created', told('pending'));
    await world.run();
    expect(world.heard).toEqual([{ handler: 'clerk', text: `pending ${TAX_ID}` }]);
  });

  test('a repair brings back no erased person, whatever of it the record has', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    await world.webhook('console-user.created', user('Ana', '10:00'));
    await world.run();
    await eraseAna(fixture);
    world.records.set('/console/users/u1', user('Ana Maria', '11:00'));
    world.records.set('/console/users/u2', { ...user('Ana', '11:00'), id: 'u2' });
    world.records.set('/console/users/u3', { ...user('Ana', '11:00'), id: 'u3', external_uid: 5 });
    for (const subject of ['console-user:u1', 'console-user:u2', 'console-user:u3'])
      expect(await world.repair(subject)).toBeNull();
    expect((await fixture.store.statistics()).quarantined).toBe(0);
  });

  test('given a person erased from it meanwhile, the late webhook is a repeat, and brings nothing back', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    world.records.set('/console/users/u1', user('Ana', '10:00'));
    world.records.set('/charges/1', { ...charge('pending'), description: 'ana@frota.example' });
    const ids = [await world.repair('console-user:u1'), await world.repair('charge:1')];
    await eraseAna(fixture);
    const late = { ...told('pending'), description: 'ana@frota.example' };
    expect([
      await world.webhook('console-user.updated', user('Ana', '10:00')),
      await world.webhook('charge.created', late),
      await world.webhook('charge.created', late),
    ]).toEqual([ids[0], ids[1], ids[1]].map((id) => ({ status: 'duplicate', id })));
    for (const id of ids)
      expect(Buffer.from((await fixture.store.event(id ?? ''))?.body ?? '').toString()).not.toContain('ana@');
  });

  test('a sample is no late webhook', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    world.records.set('/charges/1', charge('pending'));
    await world.repair('charge:1');
    const sample = await world.webhook('charge.created', told('pending'), { flags: ['sample'] });
    expect(sample).toMatchObject({ status: 'stored' });
  });

  test('a repair leaves out samples, and what is older than events are kept', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture, { keepMs: 1_000 });
    await world.webhook('console-user.created', { ...user('Bia', '09:00'), id: 'u2' });
    world.records.set('/console/users/u1', user('Ana', '10:00'));
    fixture.clock.advance(Date.parse('2026-01-01T10:00:02Z') - fixture.clock.now());
    expect(await world.repair('console-user:u1')).toBeNull();
    // That a stored record is gone is news, however old it is.
    expect(await world.repair('console-user:u2')).not.toBeNull();
    await world.webhook('charge.created', told('pending'), { flags: ['sample'] });
    world.records.set('/charges/1', charge('paid'));
    expect(await world.repair('charge:1')).toBeNull();
  });
}
