/** A message id counts where the signature covers it, or where a setting says so. Elsewhere the content decides. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Portaria } from '../../src/compose.ts';
import type { EventKind } from '../../src/contract/catalogue.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { composedPortaria } from '../support/composed-portaria.ts';
import { SECRET, signatureHeaders, type Scheme } from '../support/signing.ts';

type Headers = Readonly<Record<string, string>>;

/** The headers that prove the sender, without the message id. */
function proof(scheme: Scheme, body: string, id: string | undefined): Headers {
  const { 'webhook-id': _, ...headers } = signatureHeaders(scheme, body, id);
  return headers;
}

interface Told {
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
): Promise<Told> {
  const body = JSON.stringify(sent);
  const headers = { ...proof(scheme, body, id), ...(id === undefined ? {} : { [idHeader]: id }) };
  const response = await portaria.app.request(path, { method: 'POST', body, headers });
  return (await response.json()) as Told;
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

describe.each<Scheme>(['none', 'token', 'hmac'])('given %s, which covers no id', (scheme) => {
  test('what was captured and comes again under an invented id is in doubt, not news', async () => {
    const portaria = await composedPortaria(settingsOf(scheme));
    await post(portaria, pending, { scheme, id: 'evt_1' });
    await post(portaria, paid, { scheme, id: 'evt_2' });

    const again = await post(portaria, pending, { scheme, id: 'invented' });

    expect(again).toMatchObject({ status: 'accepted', flags: ['ambiguous'] });
  });

  test('an id that somebody took first suppresses nothing', async () => {
    const portaria = await composedPortaria(settingsOf(scheme));
    await post(portaria, pending, { scheme, id: 'evt_1' });
    await post(portaria, paid, { scheme, id: 'evt_2' });
    // Given what was captured, under the id that the sender gives next
    await post(portaria, pending, { scheme, id: 'evt_3' });

    const genuine = await post(portaria, envelope('charge.updated', { status: 'overdue' }), {
      scheme,
      id: 'evt_3',
    });

    expect(genuine).toMatchObject({ status: 'accepted' });
    expect(await portaria.store.quarantined({}, { order: 'oldest', limit: 1 })).toEqual([]);
  });

  test('the id is kept to be seen, as one that nobody vouches for', async () => {
    const portaria = await composedPortaria(settingsOf(scheme));
    const { id } = await post(portaria, pending, { scheme, id: 'evt_1' });

    expect(await portaria.store.event(id)).toMatchObject({ messageId: 'evt_1', messageIdTrusted: false });
    const shown = await portaria.opsApp.fetch(new Request(`http://localhost/api/events/${id}`));
    expect(await shown.json()).toMatchObject({ message_id: 'evt_1', message_id_trusted: false });
  });

  test('whatever ids are invented, each answer is what it is without', async () => {
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
        const told: object[] = [];
        for (const path of ['/webhooks', '/webhooks/bare']) {
          const seen = new Map<string, number>();
          const answers: object[] = [];
          for (const { make, id } of history) {
            const sent = { scheme, path, id: path === '/webhooks' ? id : undefined };
            const { id: event, ...answer } = await post(portaria, make(run), sent);
            // Ids differ from one source to the other, and which event is repeated does not.
            if (!seen.has(event)) seen.set(event, seen.size);
            answers.push({ ...answer, event: seen.get(event) });
          }
          told.push(answers);
        }
        expect(told[0]).toEqual(told[1]);
      }),
      { numRuns: 60 },
    );
  });

  test('a setting trusts it', async () => {
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

/** Contents of kinds with a version, without one, and outside the contract; ids of which many come again. */
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
  test('content that returns under another id is news, and the same id is the same message', async () => {
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

  test('an id in another header than the signed one is not trusted', async () => {
    const portaria = await composedPortaria({
      ...settingsOf('standard'),
      PORTARIA_MESSAGE_ID_HEADER: 'x-delivery',
    });
    const send = async (sent: Envelope, delivery: string): Promise<Told> => {
      const body = JSON.stringify(sent);
      const headers = { ...proof('standard', body, 'evt'), 'webhook-id': 'evt', 'x-delivery': delivery };
      const response = await portaria.app.request('/webhooks', { method: 'POST', body, headers });
      return (await response.json()) as Told;
    };
    await send(pending, 'd1');
    await send(paid, 'd2');

    expect(await send(pending, 'd3')).toMatchObject({ flags: ['ambiguous'] });
  });
});

test('of further sources, each says for itself whether its ids are trusted', async () => {
  const source = { verify: 'token', secrets: [SECRET] };
  const portaria = await composedPortaria({
    PORTARIA_TRUST_MESSAGE_ID: 'true',
    PORTARIA_SOURCES: JSON.stringify({ plain: source, gateway: { ...source, trustMessageId: true } }),
  });
  const returned = async (path: string): Promise<Told> => {
    await post(portaria, pending, { scheme: 'token', path, id: '1' });
    await post(portaria, paid, { scheme: 'token', path, id: '2' });
    return post(portaria, pending, { scheme: 'token', path, id: '3' });
  };

  expect(await returned('/webhooks/plain')).toMatchObject({ flags: ['ambiguous'] });
  expect((await returned('/webhooks/gateway')).flags).toBeUndefined();
});

test('what is held under an id that nobody vouches for keeps that', async () => {
  const portaria = await composedPortaria(settingsOf('hmac'));
  const unfit = { type: 'charge.updated', data: { ...pending.data, amount: 'a lot' } };

  const held = await post(portaria, unfit, { scheme: 'hmac', id: 'evt_9' });

  const entry = { messageId: 'evt_9', messageIdTrusted: false };
  expect(await portaria.store.quarantinedDelivery(held.id)).toMatchObject(entry);
});
