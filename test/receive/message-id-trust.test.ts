/** A message id counts if a signature covers it or a setting trusts it. Otherwise the content decides. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Portaria } from '../../src/compose.ts';
import type { EventKind } from '../../src/contract/catalogue.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { composedPortaria } from '../support/composed-portaria.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { SECRET, signatureHeaders, type Scheme } from '../support/signing.ts';

/** Headers that verify a sender, without the id. Only `standard` signs it. */
function proof(scheme: Scheme, body: string, id: string | undefined): Readonly<Record<string, string>> {
  const { 'webhook-id': _id, ...headers } = signatureHeaders(scheme, body, id);
  return headers;
}

interface ResponseBody {
  readonly status: string;
  readonly id: string;
  readonly flags?: readonly string[];
}

interface Sent {
  readonly scheme: Scheme;
  readonly path?: string;
  readonly id?: string | undefined;
  readonly idHeader?: string;
}

async function post(
  portaria: Portaria,
  sent: Envelope,
  { scheme, path = '/webhooks', id, idHeader = 'webhook-id' }: Sent,
): Promise<ResponseBody> {
  const body = JSON.stringify(sent);
  const headers = { ...proof(scheme, body, id), ...(id === undefined ? {} : { [idHeader]: id }) };
  const response = await portaria.app.request(path, { method: 'POST', body, headers });
  return (await response.json()) as ResponseBody;
}

interface Envelope {
  readonly type: string;
  readonly data: object;
}

function envelope(kind: EventKind, changes: object): Envelope {
  return { type: kind, data: { ...sampleData(kind), ...changes } };
}

const settingsOf = (scheme: Scheme): Readonly<Record<string, string>> => ({
  PORTARIA_VERIFY: scheme,
  ...(scheme === 'none' ? {} : { PORTARIA_SECRETS: SECRET }),
});

const pending = envelope('charge.updated', { status: 'pending' });
const paid = envelope('charge.updated', { status: 'paid' });

describe.each<Scheme>(['none', 'token', 'hmac'])('given %s, which does not cover the id', (scheme) => {
  test('a captured body sent again with an invented id is ambiguous, not new', async () => {
    const portaria = await composedPortaria(settingsOf(scheme));
    await post(portaria, pending, { scheme, id: 'evt_1' });
    await post(portaria, paid, { scheme, id: 'evt_2' });

    const again = await post(portaria, pending, { scheme, id: 'invented' });

    expect(again).toMatchObject({ status: 'accepted', flags: ['ambiguous'] });
  });

  test('an id that an attacker has used first suppresses no event', async () => {
    const portaria = await composedPortaria(settingsOf(scheme));
    await post(portaria, pending, { scheme, id: 'evt_1' });
    await post(portaria, paid, { scheme, id: 'evt_2' });
    // Given a captured body with the id that the sender uses next
    await post(portaria, pending, { scheme, id: 'evt_3' });

    const genuine = await post(portaria, envelope('charge.updated', { status: 'overdue' }), {
      scheme,
      id: 'evt_3',
    });

    expect(genuine).toMatchObject({ status: 'accepted' });
    expect(await portaria.store.quarantined({}, { order: 'oldest', limit: 1 })).toEqual([]);
  });

  test('the id is stored and shown as not trusted', async () => {
    const portaria = await composedPortaria(settingsOf(scheme));
    const { id } = await post(portaria, pending, { scheme, id: 'evt_1' });

    expect(await portaria.store.event(id)).toMatchObject({ messageId: 'evt_1', messageIdTrusted: false });
    const shown = await portaria.opsApp.fetch(new Request(`http://localhost/api/events/${id}`), {
      incoming: { socket: { remoteAddress: '127.0.0.1' } },
    });
    expect(await shown.json()).toMatchObject({ message_id: 'evt_1', message_id_trusted: false });
  });

  test('invented ids do not change any response', async () => {
    const portaria = await composedPortaria({
      ...settingsOf(scheme),
      PORTARIA_SOURCES: JSON.stringify({
        bare: { verify: scheme, ...(scheme === 'none' ? {} : { secrets: [SECRET] }) },
      }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(arrivals, async (history) => {
        run += 1;
        const results: object[] = [];
        for (const path of ['/webhooks', '/webhooks/bare']) {
          const seen = new Map<string, number>();
          const responses: object[] = [];
          for (const { make, id } of history) {
            const sent = { scheme, path, id: path === '/webhooks' ? id : undefined };
            const { id: event, ...response } = await post(portaria, make(run), sent);
            // Event ids differ between the sources; which event is repeated must not.
            if (!seen.has(event)) seen.set(event, seen.size);
            responses.push({ ...response, event: seen.get(event) });
          }
          results.push(responses);
        }
        expect(results[0]).toEqual(results[1]);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test('PORTARIA_TRUST_MESSAGE_ID makes the id count', async () => {
    const portaria = await composedPortaria({ ...settingsOf(scheme), PORTARIA_TRUST_MESSAGE_ID: 'true' });
    const first = await post(portaria, pending, { scheme, id: 'evt_1' });
    await post(portaria, paid, { scheme, id: 'evt_2' });

    expect(await post(portaria, pending, { scheme, id: 'evt_1' })).toEqual({
      status: 'duplicate',
      id: first.id,
    });
    const returned = await post(portaria, pending, { scheme, id: 'evt_3' });
    expect(returned).toMatchObject({ status: 'accepted' });
    expect(returned.flags).toBeUndefined();
    expect(await portaria.store.event(returned.id)).toMatchObject({ messageIdTrusted: true });
  });
});

/** Kinds with a version, without one, and outside the contract; many ids repeat. */
const contents = [
  (run: number) => envelope('charge.updated', { id: run, status: 'pending' }),
  (run: number) => envelope('charge.updated', { id: run, status: 'paid' }),
  (run: number) => envelope('company.updated', { id: run, updated_at: '2026-11-01T00:00:00Z' }),
  (run: number) => envelope('company.updated', { id: run, updated_at: '2026-11-02T00:00:00Z' }),
  (run: number) => ({ type: 'strange.happened', data: { id: run, note: 'a' } }),
  (run: number) => ({ type: 'strange.happened', data: { id: run, note: 'b' } }),
];
const arrivals = fc.array(
  fc.record({
    make: fc.constantFrom(...contents),
    id: fc.option(fc.oneof(fc.constantFrom('m1', 'm2', 'm3'), fc.uuid()), { nil: undefined }),
  }),
  { maxLength: 12 },
);

describe('given standard, which signs the id', () => {
  test('returning content with another id is a new event, and with the same id a repeat', async () => {
    const portaria = await composedPortaria(settingsOf('standard'));
    const first = await post(portaria, pending, { scheme: 'standard', id: 'evt_1' });
    await post(portaria, paid, { scheme: 'standard', id: 'evt_2' });

    expect(await post(portaria, pending, { scheme: 'standard', id: 'evt_1' })).toMatchObject({
      status: 'duplicate',
      id: first.id,
    });
    const returned = await post(portaria, pending, { scheme: 'standard', id: 'evt_3' });
    expect(returned.flags).toBeUndefined();
    expect(await portaria.store.event(returned.id)).toMatchObject({
      messageId: 'evt_3',
      messageIdTrusted: true,
    });
  });

  test('an id in a header that is not signed is not trusted', async () => {
    const portaria = await composedPortaria({
      ...settingsOf('standard'),
      PORTARIA_MESSAGE_ID_HEADER: 'x-delivery',
    });
    const send = async (sent: Envelope, delivery: string): Promise<ResponseBody> => {
      const body = JSON.stringify(sent);
      const headers = { ...proof('standard', body, 'evt'), 'webhook-id': 'evt', 'x-delivery': delivery };
      const response = await portaria.app.request('/webhooks', { method: 'POST', body, headers });
      return (await response.json()) as ResponseBody;
    };
    await send(pending, 'd1');
    await send(paid, 'd2');

    expect(await send(pending, 'd3')).toMatchObject({ flags: ['ambiguous'] });
  });
});

test('each additional source has its own trust setting', async () => {
  const source = { verify: 'token', secrets: [SECRET] };
  const portaria = await composedPortaria({
    PORTARIA_TRUST_MESSAGE_ID: 'true',
    PORTARIA_SOURCES: JSON.stringify({ plain: source, gateway: { ...source, trustMessageId: true } }),
  });
  const returned = async (path: string): Promise<ResponseBody> => {
    await post(portaria, pending, { scheme: 'token', path, id: '1' });
    await post(portaria, paid, { scheme: 'token', path, id: '2' });
    return post(portaria, pending, { scheme: 'token', path, id: '3' });
  };

  expect(await returned('/webhooks/plain')).toMatchObject({ flags: ['ambiguous'] });
  expect((await returned('/webhooks/gateway')).flags).toBeUndefined();
});

test('a quarantined delivery keeps its id as not trusted', async () => {
  const portaria = await composedPortaria(settingsOf('hmac'));
  const unfit = { type: 'charge.updated', data: { ...pending.data, amount: 'a lot' } };

  const quarantined = await post(portaria, unfit, { scheme: 'hmac', id: 'evt_9' });

  const entry = { messageId: 'evt_9', messageIdTrusted: false };
  expect(await portaria.store.quarantinedDelivery(quarantined.id)).toMatchObject(entry);
});
