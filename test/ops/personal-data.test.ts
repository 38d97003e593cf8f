import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const indication = fixture('traffic-violation.indication.updated');
const secrets = [
  '11144477735',
  'Marcos',
  'marcos.prado',
  '41999990123',
  '04512378901',
  'sgn_77c0d2',
  'CT-2026',
];

async function text(path: string): Promise<string> {
  return (await setup.request(path)).text();
}

describe('an event', () => {
  it('shows its payload with personal data masked', async () => {
    const { id } = await setup.receive(indication);
    const { status, body } = await setup.get(`/api/events/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      masked: true,
      data: { id: 3350, status: 'review', tax_id: '***', name: '***', vars: { frota: '***' } },
      body_bytes: new TextEncoder().encode(JSON.stringify(indication)).length,
      headers: { 'content-type': 'application/json' },
      deliveries: [],
    });
    const shown = JSON.stringify(body);
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });

  it('shows it in plain text with unmask=true', async () => {
    const { id } = await setup.receive(indication);
    const { body } = await setup.get(`/api/events/${id}?unmask=true`);
    expect(body).toMatchObject({ masked: false, data: indication.data });
  });

  it('masks all strings of an unknown kind', async () => {
    const { id } = await setup.receive({
      type: 'driver.created',
      data: { id: 7, cpf: '11144477735', ok: true },
    });
    const { body } = await setup.get(`/api/events/${id}`);
    expect(body['data']).toEqual({ id: '***', cpf: '***', ok: true });
  });

  it('is found by its number alone', async () => {
    const { id } = await setup.receive(indication);
    const number = id?.split('-')[1] ?? '';
    expect((await setup.get(`/api/events/${number}`)).body['id']).toBe(id);
  });

  it.each(['nowhere-1', '77', 'x'])('is not found as %s', async (id) => {
    await setup.receive(indication);
    expect(await setup.get(`/api/events/${id}`)).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: `There is no event ${id}` },
    });
  });

  it('sends its bytes with unmask=true only', async () => {
    const sent = `{ "type":"charge.updated",\n"data":${JSON.stringify(fixture('charge.updated').data)} }`;
    const { id } = await setup.receive(sent);
    const response = await setup.request(`/api/events/${id}/body?unmask=true`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe(sent);

    for (const path of ['body', 'body?unmask=false'])
      expect(await setup.get(`/api/events/${id}/${path}`)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'unmask' }] },
      });
  });
});

describe('a quarantined delivery', () => {
  it('shows no name of a member in its issues that the masked body does not show', async () => {
    const name = 'Maria da Silva 529.982.247-25';
    const data = { ...indication.data, vars: { [name]: 1, frota: 7, k52998224725: 1 } };
    const { id } = await setup.receive({ ...indication, data });
    for (const path of [`/api/quarantine/${id}`, '/api/quarantine', '/api/quarantine-problems'])
      expect(await text(path)).not.toMatch(/Maria|52998224725|529\.982/u);
    expect(await text(`/api/quarantine/${id}`)).toContain('data.vars.frota');
    expect(await text(`/api/quarantine/${id}?unmask=true`)).toContain('Maria');
  });

  it('shows its issues and its masked JSON', async () => {
    const broken = { ...indication, data: { ...indication.data, status: 7, tax_id: 11144477735 } };
    const { id } = await setup.receive(broken);
    const { body } = await setup.get(`/api/quarantine/${id}`);
    expect(body).toMatchObject({
      id,
      status: 'held',
      reason: 'invalid',
      kind: indication.type,
      masked: true,
      body_encoding: 'utf-8',
    });
    expect((body['issues'] as { path: string }[]).map(({ path }) => path).sort()).toEqual([
      'data.status',
      'data.tax_id',
    ]);
    expect(JSON.parse(String(body['body']))).toMatchObject({ type: indication.type, data: { flow: 'form' } });
    for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('shows it in plain text with unmask=true', async () => {
    const sent = '{"type":"charge.updated","data":{"id":"11144477735"}}';
    const { id } = await setup.receive(sent);
    expect((await setup.get(`/api/quarantine/${id}?unmask=true`)).body).toMatchObject({
      masked: false,
      body: sent,
      body_bytes: sent.length,
    });
  });

  it('withholds a body that is not JSON by default', async () => {
    const { id } = await setup.receive('{"type": "charge.updated", "data": {"cpf": "11144477735"');
    expect((await setup.get(`/api/quarantine/${id}`)).body).toMatchObject({
      reason: 'malformed',
      body: null,
    });
    expect(await text(`/api/quarantine/${id}`)).not.toContain('11144477735');
    expect((await setup.get(`/api/quarantine/${id}?unmask=true`)).body['body']).toContain('11144477735');
  });

  it('shows bytes that are not UTF-8 as base64', async () => {
    const bytes = new Uint8Array([0xff, 0xfe, 0x00, 0x31]);
    const { id } = await setup.receive(bytes);
    expect((await setup.get(`/api/quarantine/${id}?unmask=true`)).body).toMatchObject({
      body: Buffer.from(bytes).toString('base64'),
      body_encoding: 'base64',
      body_bytes: 4,
    });
    const response = await setup.request(`/api/quarantine/${id}/body?unmask=true`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });
});

describe('a machine’s state', () => {
  it('has fields named like personal data masked by default', async () => {
    const { type, data } = fixture('charge.updated');
    await setup.receive({ type, data: { ...data, id: 5, status: 'overdue' } });
    await setup.settle();
    const { body } = await setup.get('/api/machines/charge-status/charge:5');
    expect(body).toMatchObject({
      machine: 'charge-status',
      subject: 'charge:5',
      masked: true,
      state: { status: 'overdue', tax_id: '***' },
      anomalies: [{ message: 'overdue is not expected of CNPJ <cnpj>' }],
    });
    const { tax_id } = data['company'] as { tax_id: string };
    expect((await setup.get('/api/machines/charge-status/charge:5?unmask=true')).body).toMatchObject({
      masked: false,
      state: { status: 'overdue', tax_id },
      anomalies: [{ message: `overdue is not expected of CNPJ ${tax_id}` }],
    });
  });
});

describe('the error of a handler that quotes personal data', () => {
  const quoted = 'no user 529.982.247-25 in postgres://app:s3cr3t@db/x';
  const masked = 'no user <cpf> in postgres://db/x';

  it.each([
    ['/api/deliveries', 'listDeliveries'],
    ['/api/deliveries/d1', 'showDelivery'],
    ['/api/events/1', 'showEvent'],
    ['/api/subjects/charge:5', 'showSubject'],
  ])('is masked in %s, and shown and reported with unmask=true', async (path, action) => {
    setup.failing = quoted;
    const { type, data } = fixture('charge.updated');
    await setup.receive({ type, data: { ...data, id: 5 } });
    await setup.settle();

    const byDefault = await text(path);
    expect(byDefault).toContain(masked);
    expect(byDefault).not.toMatch(/529[.]982|s3cr3t/u);
    expect(await text(`${path}?unmask=false`)).toBe(byDefault);
    expect(await text(`${path}?unmask=true`)).toContain(quoted);
    const acts = setup.logged.filter(({ fields }) => 'action' in fields);
    expect(acts).toMatchObject([{ fields: { action, unmasked: true, result: 'done' } }]);
  });
});
