import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json/json.ts';
import type { Store } from '../../../src/store/store.ts';
import { reconciledWorld } from '../reconciled-world.ts';
import { sampleEvent, sampleRejection } from '../sample-event.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

const TAX_ID = '11222333000181';
const withTaxId = (record: JsonObject): JsonObject => ({ ...record, company: { id: 7, tax_id: TAX_ID } });
const charge = (id: number): JsonObject => ({
  ...{ id, type: 'fee', status: 'pending', amount: 12.5, company: { id: 7 } },
});
const company = (id: number, name: string, at: string): JsonObject => ({
  ...{ id, tax_id: TAX_ID, name, updated_at: `2026-01-01T${at}:00.000Z` },
});
const violation = (status: string, at: string): JsonObject => ({
  ...{ id: 1, type: 'toll_voucher', status, amount: 1, company: { id: 7 } },
  synced_at: `2026-01-01T${at}:00.000Z`,
});

/** A store whose process ends at a write, before its commit or after it. Reads go on. */
function mortalStore(store: Store, { commits }: { readonly commits: boolean }) {
  /** The writes until the end. */
  let left = Infinity;
  const mortal =
    <P extends unknown[], R>(write: (...parameters: P) => Promise<R>) =>
    async (...parameters: P): Promise<R> => {
      left -= 1;
      if (left > 0 || (left === 0 && commits)) {
        const result = await write(...parameters);
        if (left > 0) return result;
      }
      throw new Error('the process has ended');
    };
  return {
    store: {
      ...store,
      accept: mortal(store.accept),
      acceptUnlessMoved: mortal(store.acceptUnlessMoved),
      fillReconciled: mortal(store.fillReconciled),
      commitMachine: mortal(store.commitMachine),
    },
    /** Whether the process has ended at the write of this number, from 1, of a task. */
    async endsAt(write: number, task: () => Promise<unknown>): Promise<boolean> {
      left = write;
      await task().catch(() => undefined);
      const ended = left <= 0;
      left = Infinity;
      return ended;
    },
  };
}

/** What the first webhook of a reconciled event's change does, whatever comes in between. */
export function lateWebhookRules(kind: StoreKind): void {
  test.each([{ commits: false }, { commits: true }])(
    'given a process that ends at any write of a late webhook (committed: $commits), its repeat makes up for it',
    async ({ commits }) => {
      const fixture = await openFixture(kind);
      const { store, endsAt } = mortalStore(fixture.store, { commits });
      const world = await reconciledWorld({ ...fixture, store });
      let ended = true;
      for (let id = 1; ended; id += 1) {
        const name = `Serra ${String(id)}`;
        await world.webhook('company.created', company(id, 'Serra', '10:00'));
        world.records.set(`/companies/${String(id)}`, company(id, name, '11:00'));
        world.records.set(`/charges/${String(id)}`, charge(id));
        const ids = [await world.repair(`company:${String(id)}`), await world.repair(`charge:${String(id)}`)];
        await world.run();
        const late = [
          () => world.webhook('company.certificate.updated', company(id, name, '11:00')),
          () => world.webhook('charge.created', withTaxId(charge(id))),
        ];
        ended = false;
        for (const [at, webhook] of late.entries()) {
          ended = (await endsAt(id, webhook)) || ended;
          expect(await webhook()).toEqual({ status: 'duplicate', id: ids[at] });
        }
        await world.run();
        const heard = world.heard.filter(({ text }) => text === name).map(({ handler }) => handler);
        expect(heard.toSorted()).toEqual(['clerk', 'locksmith']);
        expect(await world.told(`charge:${String(id)}`)).toEqual([`pending ${TAX_ID}`]);
      }
    },
  );

  test('given two reconciled events, the webhook of the older one is a repeat of it, also after that of the newer one', async () => {
    const world = await reconciledWorld(await openFixture(kind));
    world.records.set('/antt/violations/1', violation('open', '10:00'));
    const older = await world.repair('antt-violation:1');
    world.records.set('/antt/violations/1', violation('paid', '11:00'));
    const newer = await world.repair('antt-violation:1');
    expect(await world.webhook('antt-violation.updated', violation('paid', '11:00'))).toEqual({
      status: 'duplicate',
      id: newer,
    });
    expect(await world.webhook('antt-violation.created', withTaxId(violation('open', '10:00')))).toEqual({
      status: 'duplicate',
      id: older,
    });
  });

  test('given a reconciled event and its repeat at once, the next content without a version is new', async () => {
    const { store } = await openFixture(kind);
    const record = sampleEvent({ content: 'A', flags: ['reconciled'] });
    await Promise.all([store.accept(record, []), store.accept(sampleEvent({ content: 'A' }), [])]);
    expect(await store.accept(sampleEvent({ content: 'B' }), [])).toMatchObject({ verdict: 'new' });
  });

  test('given a late webhook from quarantine, a handler that has heard of a later event skips it', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    await world.webhook('company.created', company(1, 'Serra', '10:00'));
    world.records.set('/companies/1', company(1, 'Serra Azul', '11:00'));
    const id = await world.repair('company:1');
    await fixture.store.quarantine(sampleRejection());
    const released = await world.webhook('company.certificate.updated', company(1, 'Serra Azul', '11:00'), {
      releases: 'q1',
      overtaken: [{ handler: 'locksmith', by: 'e9' }],
    });
    expect(released).toEqual({ status: 'duplicate', id });
    expect(await fixture.store.event(id ?? '')).toMatchObject({ repeats: 0 });
    expect(await fixture.store.quarantinedDelivery('q1')).toMatchObject({ status: 'released', eventId: id });
    const skipped = await fixture.store.deliveries({ status: 'skipped' }, { order: 'oldest', limit: 9 });
    expect(skipped).toMatchObject([{ handler: 'locksmith', lastError: 'overtaken by event e9' }]);
  });
}
