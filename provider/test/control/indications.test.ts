import { expect, test } from 'vitest';
import { addTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { driver, form } from '../kit/indication-setup.ts';
import { speeding } from '../kit/violation-setup.ts';
import { openWithControls } from './control-setup.ts';

async function openWithIndication(given: object = driver) {
  const setup = await openWithControls();
  const { ours, provider, postControl, newWebhooks } = setup;
  await postControl('/scenario/pause');
  await provider.change(ours.organization, (change) => addTrafficViolation(change, speeding));
  await ours.post('/v1/traffic-violations/1/indications', given);
  await newWebhooks();
  return setup;
}

const inTransfer = { ...form, transfer: true, requester_email: 'frota@example.com' };

test.each(['accepted', 'filed', 'expired', 'rejected', 'failed', 'voided'])(
  'changes an indication to %s with the reason, and emits a webhook',
  async (status) => {
    const { postControl, newWebhooks } = await openWithIndication();

    const { data } = await postControl('/indications/1/status', { status, reason: 'Motivo' });

    expect(data).toMatchObject({ id: 1, status, status_reason: 'Motivo' });
    expect(await newWebhooks()).toMatchObject([
      { type: 'traffic-violation.indication.updated', data: { status } },
    ]);
  },
);

test('waits for the other signers when one signs', async () => {
  const { ours, postControl, newWebhooks } = await openWithIndication(inTransfer);
  const record = await ours.get('/v1/traffic-violations/1/indications/1/document');
  const { signers } = record.data['document'] as { signers: { token: string }[] };

  const first = { status: 'signed', signer: signers[0]?.token };
  expect((await postControl('/indications/1/document/status', first)).data).toMatchObject({
    document_status: 'pending',
  });
  expect(await newWebhooks()).toEqual([]);
  expect(await postControl('/indications/1/document/status', first)).toMatchObject({
    status: 409,
    body: { message: 'The signer has signed the document already' },
  });
  const second = { status: 'signed', signer: signers[1]?.token };
  expect((await postControl('/indications/1/document/status', second)).data).toMatchObject({
    status: 'review',
  });
});

test('keeps the indication pending when the document is refused, with the reason', async () => {
  const { postControl, newWebhooks } = await openWithIndication(form);

  const { data } = await postControl('/indications/1/document/status', {
    status: 'refused',
    reason: 'Não era eu',
  });

  expect(data).toMatchObject({ status: 'pending', document_status: 'refused', status_reason: 'Não era eu' });
  expect(await newWebhooks()).toMatchObject([{ data: { document_status: 'refused' } }]);
});

test.each([
  [
    form,
    '/indications/1/status',
    { status: 'filed' },
    409,
    'cannot become filed: only failed, voided, expired, rejected',
  ],
  [
    driver,
    '/indications/1/document/status',
    { status: 'signed' },
    409,
    'document is missing: only a pending one can be signed',
  ],
  [form, '/indications/1/document/status', { status: 'signed', signer: 'sgn_x' }, 404, 'No such signer'],
  [driver, '/indications/99/status', { status: 'filed' }, 404, 'Indication with id 99 not found'],
  [driver, '/indications/1/status', { status: 'review' }, 400, 'status: expected one of "accepted"'],
])('of %o: responds to %s with %o by %i: %s', async (given, path, body, status, message) => {
  const { postControl, newWebhooks } = await openWithIndication(given);

  const response = await postControl(path, body);

  expect(response.status).toBe(status);
  expect(response.body['message']).toContain(message);
  expect(await newWebhooks()).toEqual([]);
});
