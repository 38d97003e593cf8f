import { expect, test } from 'vitest';
import { signDocument } from '../indications/sign-document.ts';
import { driver, form, openWithIndications } from './kit/indication-setup.ts';
import { fieldsOf } from './kit/specification.ts';
import { NOW, type Json } from './kit/test-provider.ts';
import { textOfPdf } from './kit/text-of-pdf.ts';

const fields = (value: unknown) => Object.keys(value as Json).sort();

async function openWithDocument(values: object = {}) {
  const setup = await openWithIndications();
  const { ours, app, indications } = setup;
  const { data: indication } = await ours.post(indications, { ...form, ...values });
  const record = async () => (await ours.get(`${indications}/1/document`)).data;
  return {
    ...setup,
    indication,
    record,
    document: async () => (await record())['document'] as Json,
    trail: async () => (await record())['audit_trail'] as readonly { event: string; description: string }[],
    fileAt: async (address: unknown) => {
      const response = await app.request(String(address).replace('http://provider.example', ''));
      return textOfPdf(new Uint8Array(await response.arrayBuffer()));
    },
  };
}

test('the record has the document, its signers and its audit trail', async () => {
  const { indication, record } = await openWithDocument();

  const data = await record();

  const document = data['document'] as Json;
  const { document_token, document_status, sign_url, signer_token } = indication;
  expect(data).toMatchObject({
    document_token,
    document_status,
    sign_url,
    document: {
      token: document_token,
      status: 'pending',
      name: 'Indicação de condutor - AIT 5A47210983',
      signed_file: null,
      created_at: NOW,
    },
  });
  const signers = document['signers'] as Json[];
  expect(signers).toEqual([
    {
      token: signer_token,
      status: 'pending',
      name: form.name,
      email: form.email,
      times_viewed: 0,
      last_view_at: null,
      signed_at: null,
    },
  ]);
  expect((data['audit_trail'] as Json[]).map(fields)).toEqual([
    fieldsOf('audit trail entry'),
    fieldsOf('audit trail entry'),
  ]);
});

test('the document can be downloaded, and with its signatures once signed', async () => {
  const { sign, document, fileAt } = await openWithDocument({ vars: { frota: 412 }, documents: [3, 5] });

  const original = await fileAt((await document())['original_file']);
  for (const line of [
    'Condutor: Marcos Vinícius Prado',
    'Auto de infração: 5A47210983',
    'frota: 412',
    'Modelos: 3, 5',
  ])
    expect(original).toContain(line);
  await sign();
  const signed = await fileAt((await document())['signed_file']);
  expect(signed).toContain('frota: 412');
  expect(signed).toContain(`Assinado por Marcos Vinícius Prado em ${NOW}`);
});

test('the driver views and signs the document, and the indication is reviewed', async () => {
  const { clock, view, sign, document, trail, indicationEvents } = await openWithDocument();
  clock.advance(1_000);
  await view();
  await view();
  clock.advance(1_000);

  await sign();

  expect(
    (await indicationEvents()).map(({ type, data }) => [type, data['status'], data['document_status']]),
  ).toEqual([
    ['traffic-violation.indication.created', 'pending', 'pending'],
    ['traffic-violation.indication.updated', 'review', 'signed'],
  ]);
  expect((await indicationEvents()).at(-1)?.data).toMatchObject({
    document_signed_at: '2026-03-10T12:00:02.000Z',
    updated_at: '2026-03-10T12:00:02.000Z',
  });
  expect(await document()).toMatchObject({
    status: 'signed',
    last_update_at: '2026-03-10T12:00:02.000Z',
    signers: [
      {
        status: 'signed',
        times_viewed: 2,
        last_view_at: '2026-03-10T12:00:01.000Z',
        signed_at: '2026-03-10T12:00:02.000Z',
      },
    ],
  });
  expect((await trail()).map(({ event }) => event)).toEqual([
    'created',
    'sent',
    'viewed',
    'viewed',
    'signed',
    'completed',
  ]);
});

test('a refused document leaves the indication pending, with the reason', async () => {
  const { ours, indications, refuse, trail, indicationEvents } = await openWithDocument();

  await refuse('Não era eu ao volante');

  expect((await indicationEvents()).at(-1)).toMatchObject({
    type: 'traffic-violation.indication.updated',
    data: {
      status: 'pending',
      document_status: 'refused',
      document_signed_at: null,
      status_reason: 'Não era eu ao volante',
    },
  });
  expect((await trail()).at(-1)?.description).toBe(
    'Recusado por Marcos Vinícius Prado: Não era eu ao volante',
  );
  // The refused indication blocks another one until it is canceled.
  expect((await ours.post(indications, driver)).status).toBe(409);
  expect((await ours.post(`${indications}/1/cancel`)).status).toBe(204);
  expect((await ours.get(`${indications}/1`)).data).toMatchObject({
    status: 'canceled',
    document_status: 'refused',
  });
  expect((await ours.post(indications, driver)).status).toBe(201);
});

test('canceling an indication cancels its unsigned document', async () => {
  const { ours, indications, sign, record, indicationEvents } = await openWithDocument();

  await ours.post(`${indications}/1/cancel`);

  expect((await indicationEvents()).at(-1)?.data).toMatchObject({
    status: 'canceled',
    document_status: 'canceled',
  });
  expect(await record()).toMatchObject({ document: { status: 'canceled', signed_file: null } });
  await expect(sign()).rejects.toMatchObject({ status: 409 });
});

test('a transfer is reviewed once driver and requester have signed', async () => {
  const { sign, refuse, document, indicationEvents } = await openWithDocument({
    transfer: true,
    requester_email: 'frota@example.com',
  });
  expect(await document()).toMatchObject({
    name: 'FICI - AIT 5A47210983',
    signers: [{ email: form.email }, { email: 'frota@example.com' }],
  });

  await sign(0);

  expect(await document()).toMatchObject({
    status: 'pending',
    signers: [{ status: 'signed' }, { status: 'pending' }],
  });
  expect(await indicationEvents()).toHaveLength(1);
  await expect(sign(0)).rejects.toMatchObject({ status: 409 });
  await expect(refuse('Mudei de ideia', 0)).rejects.toMatchObject({ status: 409 });
  await sign(1);
  expect((await indicationEvents()).at(-1)?.data).toMatchObject({
    status: 'review',
    document_status: 'signed',
  });
});

test('only a pending signer can sign', async () => {
  const { ours, theirs, provider, indication } = await openWithDocument();
  const token = String(indication['signer_token']);

  for (const [organization, id, signer] of [
    [ours.organization, 1, 'sgn_guessed'],
    [ours.organization, 77, token],
    [theirs.organization, 1, token],
  ] as const)
    await expect(
      provider.change(organization, (change) => signDocument(change, id, signer)),
    ).rejects.toMatchObject({ status: 404 });
});

test('each document has its own tokens', async () => {
  const { ours, indications, indication } = await openWithDocument();
  await ours.post(`${indications}/1/cancel`);

  const { data } = await ours.post(indications, form);

  for (const token of ['document_token', 'signer_token', 'sign_url'])
    expect(data[token]).not.toBe(indication[token]);
});
