import { expect, test } from 'vitest';
import { statuses } from '../../../test/support/webhooks/indication-events.ts';
import { observeIndication } from '../../indications/change-indication.ts';
import { driver, form, openWithIndications } from '../kit/indication-setup.ts';

const moves = ['accepted', 'filed', 'expired', 'rejected', 'failed', 'voided'] as const;

/** The statuses to which an indication can change, by its status. */
const allowed: Readonly<Record<(typeof statuses)[number], readonly string[]>> = {
  pending: ['accepted', 'filed', 'expired', 'rejected', 'failed', 'voided'],
  review: ['accepted', 'filed', 'failed', 'voided'],
  accepted: ['filed', 'failed', 'voided'],
  filed: ['accepted', 'failed', 'voided'],
  expired: [],
  rejected: [],
  failed: [],
  voided: [],
  canceled: [],
};

test.each(statuses)('moves from %s only to what may follow', async (from) => {
  const { ours, provider, indications, move, indicationEvents } = await openWithIndications();
  await ours.post(indications, driver);
  for (const to of moves) {
    await provider.query.updateTable('traffic_violation_indications').set({ status: from }).execute();
    const before = await indicationEvents();

    const moved = move(to, to);

    if (allowed[from].includes(to)) {
      await expect(moved).resolves.toMatchObject({ status: to, status_reason: to });
      expect((await indicationEvents()).at(-1)?.data).toMatchObject({ status: to, status_reason: to });
    } else {
      await expect(moved, to).rejects.toMatchObject({ status: 409 });
      expect(await indicationEvents()).toEqual(before);
    }
  }
});

test.each(['accepted', 'filed'] as const)(
  'an indication with a document cannot be %s before it is signed',
  async (status) => {
    const { ours, indications, move, sign } = await openWithIndications();
    await ours.post(indications, form);

    await expect(move(status)).rejects.toMatchObject({ status: 409 });
    await sign();
    expect(await move(status)).toMatchObject({ status, document_status: 'signed' });
  },
);

test.each([
  ['expired', 'expired', 'expired'],
  ['rejected', 'canceled', 'canceled'],
  ['voided', 'canceled', 'canceled'],
] as const)('an indication that becomes %s changes its document to %s', async (status, document, event) => {
  const { ours, indications, move } = await openWithIndications();
  await ours.post(indications, form);

  expect(await move(status)).toMatchObject({ status, document_status: document });

  const { data } = await ours.get(`${indications}/1/document`);
  expect(data).toMatchObject({ document_status: document, document: { status: document } });
  expect((data['audit_trail'] as unknown[]).at(-1)).toMatchObject({ event });
});

test('an indication made outside the provider is observed and cannot be canceled', async () => {
  const { ours, provider, id, indications, move, indicationEvents } = await openWithIndications();
  const observe = () =>
    provider.change(ours.organization, (change) =>
      observeIndication(change, id, { ...driver, name: 'Marcos Prado' }),
    );

  expect(await observe()).toMatchObject({ external: true, status: 'pending', name: 'Marcos Prado' });
  await expect(observe()).rejects.toMatchObject({ status: 409 });
  expect(await ours.post(`${indications}/1/cancel`)).toMatchObject({ status: 409 });
  await move('accepted');
  expect((await indicationEvents()).map(({ type, data }) => [type, data['status']])).toEqual([
    ['traffic-violation.indication.created', 'pending'],
    ['traffic-violation.indication.updated', 'accepted'],
  ]);
});
