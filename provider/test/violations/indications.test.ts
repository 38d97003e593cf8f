import { expect, test } from 'vitest';
import { setIndicationRule } from '../../indications/change-indication.ts';
import { driver, form, openWithIndications } from '../kit/indication-setup.ts';
import { NOW, type Json } from '../kit/test-provider.ts';

test('indicates a driver by CPF alone, shows the same record everywhere, and emits it', async () => {
  const { ours, indications, indicationEvents } = await openWithIndications();

  const { status, data } = await ours.post(indications, driver);

  expect(status).toBe(201);
  expect(data).toMatchObject({
    id: 1,
    status: 'pending',
    status_reason: null,
    status_label: null,
    tax_id: driver.tax_id,
    flow: 'automated',
    external: false,
    document_token: null,
    document_status: null,
    vars: {},
    created_at: NOW,
  });
  expect((await ours.get(`${indications}/1`)).data).toEqual(data);
  const list = await ours.get(indications);
  expect(list.body).toEqual({ data: [data] });
  expect(await indicationEvents()).toEqual([{ type: 'traffic-violation.indication.created', data }]);
});

test('flow form has a document to sign and stores the given fields', async () => {
  const { ours, indications } = await openWithIndications();

  const { status, data } = await ours.post(indications, {
    ...form,
    documents: [3, 5],
    vars: { frota: '0412', contrato: 118.5 },
    requester_email: 'frota@example.com',
    requester_phone: '4133330100',
  });

  expect(status).toBe(201);
  expect(data).toMatchObject({
    ...form,
    status: 'pending',
    document_status: 'pending',
    document_signed_at: null,
    vars: { frota: '0412', contrato: '118.5' },
    requester_email: 'frota@example.com',
    requester_phone: '4133330100',
  });
  expect(data['document_token']).toMatch(/^doc_./);
  expect(data['sign_url']).toBe(`http://provider.example/sign/${String(data['signer_token'])}`);
});

test('takes phones in E.164 too, and keeps their digits with the area code', async () => {
  const { ours, indications } = await openWithIndications();

  const { data } = await ours.post(indications, {
    ...driver,
    phone: '+5541999990123',
    requester_phone: '+554133330100',
  });

  expect(data).toMatchObject({ phone: '41999990123', requester_phone: '4133330100' });
});

test.each(['name', 'license', 'id_number', 'id_issuer', 'transfer'])(
  'flow form requires %s',
  async (name) => {
    const { ours, indications } = await openWithIndications();
    const { [name]: _, ...body } = form as Json;

    expect(await ours.post(indications, body)).toMatchObject({
      status: 400,
      body: { error: 'Bad Request', message: `${name}: is required when flow is form` },
    });
  },
);

test.each([
  ['no CPF', {}, /^tax_id: is required/],
  ['a wrong CPF', { tax_id: '11144477734' }, /^tax_id: is not a valid CPF/],
  ['another flow', { ...driver, flow: 'manual' }, /^flow: expected one of "automated", "form"/],
  ['an invalid e-mail address', { ...driver, email: 'marcos' }, /^email: is not a valid e-mail address/],
  ['a phone without area code', { ...driver, phone: '999990123' }, /^phone: is not a valid phone number/],
  ['a phone of another country', { ...driver, phone: '+442071838750' }, /^phone: is not a valid phone/],
  ['a phone of zeros', { ...driver, phone: '41000000000' }, /^phone: is not a valid phone number/],
  ['a phone without plus', { ...driver, phone: '5541999990123' }, /^phone: is not a valid phone number/],
  ['a template that is not an id', { ...driver, documents: ['3'] }, /^documents\.0: expected a whole number/],
  [
    'a variable that is not a string',
    { ...driver, vars: { a: true } },
    /^vars\.a: expected a string or a number/,
  ],
  ['a string as a boolean', { ...form, transfer: 'yes' }, /^transfer: expected true or false/],
  ['an empty name', { ...form, name: '' }, /^name: expected a non-empty string/],
])('rejects %s', async (_, body, message) => {
  const { ours, indications } = await openWithIndications();

  const response = await ours.post(indications, body);

  expect(response).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
  expect(response.body['message']).toMatch(message);
});

test.each([
  ['2026-04-07T02:59:59Z', {}, 201, null],
  ['2026-04-07T03:00:00Z', {}, 422, 'The deadline for indications was 2026-04-06'],
  [NOW, { status: 'pending' }, 201, null],
  [
    NOW,
    { status: 'overdue' },
    422,
    'A driver can be indicated only for a violation with status pending or citation, not overdue',
  ],
  [
    NOW,
    { status: 'paid' },
    422,
    'A driver can be indicated only for a violation with status pending or citation, not paid',
  ],
  [NOW, { indication_deadline: null }, 422, 'The violation has no deadline for indications'],
] as const)('at %s with %j responds %i', async (at, values, status, message) => {
  const { ours, clock, indications } = await openWithIndications(values);
  clock.jump(Date.parse(at) - clock.now());

  const response = await ours.post(indications, driver);

  expect(response.status).toBe(status);
  if (message !== null) expect(response.body).toEqual({ error: 'Unprocessable Entity', message });
});

test('cancels a pending indication once', async () => {
  const { ours, clock, indications, indicationEvents } = await openWithIndications();
  await ours.post(indications, driver);
  clock.advance(1_000);

  const response = await ours.post(`${indications}/1/cancel`);

  expect([response.status, response.body]).toEqual([204, {}]);
  expect((await indicationEvents()).at(-1)).toMatchObject({
    type: 'traffic-violation.indication.updated',
    data: { id: 1, status: 'canceled', updated_at: '2026-03-10T12:00:01.000Z' },
  });
  expect(await ours.post(`${indications}/1/cancel`)).toMatchObject({
    status: 409,
    body: {
      error: 'Conflict',
      message: 'The indication is canceled: only a pending one can be canceled',
    },
  });
});

test('the labels follow the rules of the organization', async () => {
  const { ours, theirs, provider, indications, move } = await openWithIndications();
  for (const [{ organization }, label] of [
    [ours, 'Em análise'],
    [theirs, 'Outra'],
  ] as const)
    await provider.change(organization, (change) =>
      setIndicationRule(change, { status: 'accepted', label, description: 'O condutor aceitou.' }),
    );

  const { data } = await ours.post(indications, driver);
  expect(data).toMatchObject({ status_label: null, status_description: null });
  expect(await move('accepted')).toMatchObject({
    status_label: 'Em análise',
    status_description: 'O condutor aceitou.',
  });
});

test("while the user's link is inactive, indications are not shown, created or emitted", async () => {
  const { ours, indications, move, indicationEvents } = await openWithIndications();
  await ours.post(indications, form);
  await ours.post('/v1/users/1/deactivate');

  for (const [method, path, body] of [
    ['GET', indications, undefined],
    ['POST', indications, driver],
    ['GET', `${indications}/1`, undefined],
    ['POST', `${indications}/1/cancel`, undefined],
    ['GET', `${indications}/1/document`, undefined],
  ] as const)
    expect(await ours.request(method, path, body), `${method} ${path}`).toMatchObject({
      status: 403,
      body: { error: 'Forbidden' },
    });
  await move('expired');
  expect(await indicationEvents()).toHaveLength(1);
  await ours.post('/v1/users/1/activate');
  expect((await ours.get(`${indications}/1`)).data).toMatchObject({ status: 'expired' });
});

test.each([
  ['GET', '/v1/traffic-violations/2/indications/1'],
  ['GET', '/v1/traffic-violations/77/indications/1'],
  ['POST', '/v1/traffic-violations/2/indications/1/cancel'],
])('%s %s responds 404: the indication is of another violation', async (method, path) => {
  const { ours, add, indications } = await openWithIndications();
  await ours.post(indications, driver);
  await add();

  expect(await ours.request(method, path, method === 'POST' ? driver : undefined)).toMatchObject({
    status: 404,
    body: { error: 'Not Found', message: 'Indication or traffic violation not found' },
  });
});
