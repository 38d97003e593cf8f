import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json/json.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { reconciledWorld } from '../reconciled-world.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

/** A webhook is sent with each change; `deliver` picks one that was sent, again or for the first time. */
type Step =
  | { readonly do: 'change'; readonly status: number; readonly lost: boolean }
  | { readonly do: 'deliver'; readonly which: number }
  | { readonly do: 'repair' | 'run' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('change' as const), status: fc.nat({ max: 2 }), lost: fc.boolean() }),
    fc.record({ do: fc.constant('deliver' as const), which: fc.nat({ max: 9 }) }),
    fc.record({ do: fc.constantFrom('repair' as const, 'run' as const) }),
  ),
  { minLength: 4, maxLength: 24, size: 'max' },
);

const TAX_ID = '11222333000181';
const withTaxId = (record: JsonObject): JsonObject => ({ ...record, company: { id: 7, tax_id: TAX_ID } });
const kindOf = (family: string, change: number): string =>
  `${family}.${change === 1 ? 'created' : 'updated'}`;

interface Webhook {
  readonly record: JsonObject;
  readonly kind: string;
  readonly lost: boolean;
}

/** Any interleaving of changes, webhooks, their repeats, losses and repairs. */
export function reconciledProperties(kind: StoreKind): void {
  test('with versions, it ends in the newest content, in one state, and each handler heard of each content once', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const id = (run += 1);
        const subject = `antt-violation:${String(id)}`;
        const sent: Webhook[] = [];
        const arrived = new Set<number>();
        const told = new Set<number>();
        world.heard.length = 0;
        const deliver = async (which: number): Promise<void> => {
          const webhook = sent[which];
          if (webhook === undefined || webhook.lost) return;
          arrived.add(which + 1);
          await world.webhook(webhook.kind, withTaxId(webhook.record));
        };
        const repair = async (): Promise<void> => {
          if ((await world.repair(subject)) !== null) told.add(sent.length);
        };
        for (const step of drawn) {
          if (step.do === 'change') {
            const change = sent.length + 1;
            const record = {
              ...{ id, type: 'toll_voucher', status: `s${String(change)}`, amount: 1, company: { id: 7 } },
              synced_at: new Date(Date.UTC(2026, 0, 1, 0, change)).toISOString(),
            };
            sent.push({ record, kind: kindOf('antt-violation', change), lost: step.lost });
            world.records.set(`/antt/violations/${String(id)}`, record);
          } else if (step.do === 'deliver') await deliver(step.which);
          else if (step.do === 'repair') await repair();
          else await world.run();
        }
        // What was late comes in the end, the newest first.
        for (const which of [...sent.keys()].toReversed()) await deliver(which);
        await repair();
        await world.run();

        for (const change of arrived) told.add(change);
        const inOrder = [...told].toSorted((one, other) => one - other);
        const last = sent.at(-1);
        if (last === undefined) return;
        expect(inOrder.at(-1)).toBe(sent.length);
        expect(await world.newest(subject)).toEqual(last.lost ? last.record : withTaxId(last.record));
        expect((await world.told(subject)) ?? []).toEqual(
          inOrder.map((change) => `s${String(change)}${arrived.has(change) ? ` ${TAX_ID}` : ''}`),
        );
        const heard = world.heard.map(({ text }) => text.split(' ')[0]);
        expect(heard.toSorted()).toEqual(inOrder.map((change) => `s${String(change)}`).toSorted());
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('without versions, webhooks that come in order end in the newest content, and it is the last that was heard', async () => {
    const fixture = await openFixture(kind);
    const world = await reconciledWorld(fixture);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const id = (run += 1);
        const subject = `charge:${String(id)}`;
        const sent: Webhook[] = [];
        let arrived = 0;
        world.heard.length = 0;
        const deliver = async (which: number): Promise<void> => {
          const webhook = sent[which];
          if (webhook === undefined || webhook.lost) return;
          await world.webhook(webhook.kind, withTaxId(webhook.record), {
            messageId: `${subject} ${String(which)}`,
          });
          await world.run();
        };
        for (const step of drawn) {
          if (step.do === 'change') {
            const record = {
              ...{ id, type: 'fee', status: `s${String(step.status)}`, amount: 1, company: { id: 7 } },
            };
            sent.push({ record, kind: kindOf('charge', sent.length + 1), lost: step.lost });
            world.records.set(`/charges/${String(id)}`, record);
          } else if (step.do === 'deliver') {
            // A repeat of one that came, or the next one.
            const which = Math.min(step.which, arrived);
            await deliver(which);
            if (which === arrived && arrived < sent.length) arrived += 1;
          } else if (step.do === 'repair') await world.repair(subject);
          else await world.run();
        }
        for (; arrived < sent.length; arrived += 1) await deliver(arrived);
        await world.repair(subject);
        await world.run();
        const last = sent.at(-1)?.record['status'];
        if (last === undefined) return;
        expect((await world.newest(subject))?.['status']).toBe(last);
        expect(world.heard.at(-1)?.text.split(' ')[0]).toBe(last);
        expect((await world.told(subject))?.at(-1)?.split(' ')[0]).toBe(last);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
}
