import { expect, test } from 'vitest';
import { addAnttViolation } from '../../antt-violations/change-antt-violation.ts';
import { addCharge } from '../../charges/change-charge.ts';
import { addTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { barcodeFits, pixFits } from '../../../test/support/webhooks/payment-codes.ts';
import { company } from '../kit/people.ts';
import { speeding } from '../kit/violation-setup.ts';
import { openWithControls } from './control-setup.ts';

/** Adds one pending payment slip of each family. */
async function openWithSlips() {
  const setup = await openWithControls();
  const { ours, provider, postControl, newWebhooks } = setup;
  await postControl('/scenario/pause');
  await ours.post('/v1/companies', company);
  await provider.change(ours.organization, async (change) => {
    await addTrafficViolation(change, { ...speeding, company_id: 1 });
    await addAnttViolation(change, { company_id: 1, type: 'rntrc', status: 'pending', amount: 550 });
    await addCharge(change, { company_id: 1, type: 'fee', status: 'pending', amount: 92.41 });
  });
  for (const path of ['traffic-violations/1/tickets', 'antt/violations/1/tickets', 'charges/1/payment-slips'])
    await ours.post(`/v1/${path}`);
  await newWebhooks();
  return setup;
}

const families = [
  ['/traffic-violations/tickets/1/status', 'traffic-violation.ticket.updated'],
  ['/antt/violations/tickets/1/status', 'antt-violation.ticket.updated'],
  ['/charges/payment-slips/1/status', 'charge.payment-slip.updated'],
] as const;
const withReason = families.slice(1);
const withMethod = families.slice(0, 2);

test.each(families)('%s: requests and issues with a barcode, with an event each', async (path, event) => {
  const { postControl, newWebhooks } = await openWithSlips();

  expect(await postControl(path, { status: 'requested' })).toMatchObject({
    status: 200,
    data: { status: 'requested' },
  });
  const { data } = await postControl(path, { status: 'issued' });

  expect(data).toMatchObject({ id: 1, status: 'issued', amount: expect.any(Number) });
  expect(barcodeFits(String(data['barcode']))).toBe(true);
  expect((await newWebhooks()).map(({ type, data }) => [type, data['status']])).toEqual([
    [event, 'requested'],
    [event, 'issued'],
  ]);
});

test.each(withMethod)('%s: issues with a PIX code', async (path) => {
  const { postControl } = await openWithSlips();

  const { data } = await postControl(path, { status: 'issued', payment_method: 'pix' });

  expect(data).toMatchObject({ payment_method: 'pix', barcode: null });
  expect(pixFits(String(data['pix']))).toBe(true);
});

test.each(
  withReason.flatMap(([path, event]) =>
    (['rejected', 'failed'] as const).map((status) => [path, status, event] as const),
  ),
)('%s: %s with the reason, in the webhook too', async (path, status, event) => {
  const { postControl, newWebhooks } = await openWithSlips();

  expect((await postControl(path, { status, reason: 'Débito quitado' })).data).toMatchObject({
    status,
    status_reason: 'Débito quitado',
  });
  expect(await newWebhooks()).toMatchObject([
    { type: event, data: { status, status_reason: 'Débito quitado' } },
  ]);
});

test.each(['rejected', 'failed'])(
  'a slip of a traffic violation is %s; its record has no reason',
  async (status) => {
    const { postControl, newWebhooks } = await openWithSlips();
    const path = '/traffic-violations/tickets/1/status';

    expect(await postControl(path, { status, reason: 'Débito quitado' })).toMatchObject({ status: 400 });
    expect((await postControl(path, { status })).data).toMatchObject({ status });
    expect(await newWebhooks()).toMatchObject([
      { type: 'traffic-violation.ticket.updated', data: { status } },
    ]);
  },
);

test.each(['issued', 'rejected', 'failed'])('a slip of any family that is %s is final', async (end) => {
  const { postControl, newWebhooks } = await openWithSlips();
  for (const [path] of families) {
    await postControl(path, { status: end });
    await newWebhooks();

    for (const status of ['requested', 'issued', 'rejected', 'failed'])
      expect(await postControl(path, { status }), path).toMatchObject({
        status: 409,
        body: {
          error: 'Conflict',
          message: `A payment slip with status ${end} cannot become ${status}: its status is final`,
        },
      });
    expect(await newWebhooks()).toEqual([]);
  }
});

test.each(families)('%s: names what is invalid or missing', async (path) => {
  const { postControl } = await openWithSlips();

  expect(await postControl(path, { status: 'paid' })).toMatchObject({
    status: 400,
    body: { message: 'status: expected requested, issued, rejected or failed' },
  });
  expect(await postControl(path, undefined)).toMatchObject({ status: 400 });
  expect((await postControl(path.replace('1', '99'), { status: 'failed' })).body['message']).toMatch(
    /(ticket|slip) with id 99 not found$/u,
  );
});
