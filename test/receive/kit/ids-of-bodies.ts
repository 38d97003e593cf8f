/** What ids in bodies and fields that are not compared do, on any store. */
import { describe, expect, test } from 'vitest';
import type { Portaria } from '../../../src/compose.ts';
import { composedPortaria } from '../../support/composed-portaria.ts';
import { SECRET, signatureHeaders } from '../../support/signing.ts';

/** Posts what a sender wrote, signed, and returns the status and the quarantined reasons so far. */
async function post(portaria: Portaria, body: string, headers: Readonly<Record<string, string>> = {}) {
  const signed = { ...signatureHeaders('hmac', body), ...headers };
  const response = await portaria.app.request('/webhooks', { method: 'POST', body, headers: signed });
  return ((await response.json()) as { status: string }).status;
}

async function release(portaria: Portaria, id: string): Promise<unknown> {
  const request = new Request('http://localhost/api/quarantine/release', {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [id] }),
  });
  return (await portaria.opsApp.fetch(request)).json();
}

const sources = (fields: object): string => JSON.stringify({ default: fields });

export function describeIdsOfBodies(database: () => Promise<string>): void {
  async function receiver(fields: object): Promise<Portaria> {
    return composedPortaria({
      PORTARIA_DATABASE: await database(),
      PORTARIA_OPS_TOKEN: SECRET,
      PORTARIA_VERIFY: 'hmac',
      PORTARIA_SECRETS: SECRET,
      PORTARIA_SOURCES: sources(fields),
    });
  }

  async function statuses(fields: object, bodies: readonly string[]): Promise<readonly string[]> {
    const portaria = await receiver(fields);
    const found: string[] = [];
    for (const body of bodies) found.push(await post(portaria, body));
    return found;
  }

  const thin = (id: string, data = '{"id":9}'): string =>
    `{"id":${id},"type":"order.changed","data":${data}}`;
  const charge = (id: string, status = 'paid'): string =>
    `{"meta":{"id":${id}},"type":"charge.updated","data":{"id":9,"type":"fee","status":"${status}"}}`;

  describe('given the path of an id in the body', () => {
    test.each<[string, string, readonly string[], readonly string[]]>([
      [
        'a thin notification is an event for each id',
        'id',
        [thin('"a"'), thin('"b"')],
        ['unrecognized', 'unrecognized'],
      ],
      ['a message of a known kind, too', 'meta.id', [charge('1'), charge('2')], ['accepted', 'accepted']],
      [
        'the same id and content is a repeat',
        'id',
        [thin('1'), thin('1'), thin('"1"')],
        ['unrecognized', 'duplicate', 'duplicate'],
      ],
      [
        'digits beyond 2^53 are kept',
        'id',
        [thin('9007199254740993'), thin('9007199254740992'), thin('9007199254740993')],
        ['unrecognized', 'unrecognized', 'duplicate'],
      ],
      [
        'text that no header could have is an id',
        'id',
        [thin('"é 1"'), thin('"é 2"'), thin('"é 1"')],
        ['unrecognized', 'unrecognized', 'duplicate'],
      ],
      [
        'what is neither text nor number is no id',
        'id',
        [thin('null'), thin('{"a":1}'), thin('""'), '{"type":"order.changed","data":{"id":9}}'],
        ['unrecognized', 'duplicate', 'duplicate', 'duplicate'],
      ],
    ])('%s', async (_what, messageId, bodies, expected) => {
      expect(await statuses({ messageId }, bodies)).toEqual(expected);
    });

    test('the same id with another content is kept in quarantine, and is released by its content', async () => {
      const portaria = await receiver({ messageId: 'meta.id' });
      await post(portaria, charge('1', 'pending'));

      expect(await post(portaria, charge('1', 'paid'))).toBe('duplicate');

      const id = (await portaria.store.quarantined({}, { order: 'newest', limit: 5 }))[0]?.id ?? '';
      const held = await portaria.store.quarantinedDelivery(id);
      expect(held).toMatchObject({ reason: 'conflict', messageId: '1', messageIdTrusted: true });
      expect(await release(portaria, id)).toMatchObject({ data: [{ outcome: 'released' }] });
      expect(await post(portaria, charge('1', 'pending'))).toBe('duplicate');
    });

    test('an id in a header decides nothing', async () => {
      const portaria = await receiver({ messageId: 'id' });
      expect(await post(portaria, thin('1'), { 'webhook-id': 'x' })).toBe('unrecognized');
      expect(await post(portaria, thin('1'), { 'webhook-id': 'y' })).toBe('duplicate');
    });
  });

  describe('given fields that are not compared', () => {
    const sent = (at: number, status = 'paid'): string =>
      `{"type":"charge.updated","data":{"id":9,"type":"fee","status":"${status}","meta":{"sent_at":${String(at)},"by":"x"},"attempt":${String(at)}}}`;

    test.each([[['meta.sent_at', 'attempt']], [['data.meta.sent_at', 'data.attempt']]])(
      'what differs in %j alone is a repeat, and its bytes are those of the first',
      async (ignore) => {
        const portaria = await receiver({ compare: { ignore } });

        expect([
          await post(portaria, sent(1)),
          await post(portaria, sent(2)),
          await post(portaria, sent(3, 'open')),
        ]).toEqual(['accepted', 'duplicate', 'accepted']);

        const [, first] = await portaria.store.events({}, { order: 'newest', limit: 5 });
        const delivered = await portaria.store.event(first?.id ?? '');
        expect(Buffer.from(delivered?.body ?? []).toString()).toBe(sent(1));
      },
    );

    test('the same id with such a difference is the same message', async () => {
      const fields = { messageId: 'id', compare: { ignore: ['at'] } };
      const bodies = [
        thin('1', '{"id":9,"at":1}'),
        thin('1', '{"id":9,"at":2}'),
        thin('1', '{"id":8,"at":2}'),
      ];
      expect(await statuses(fields, bodies)).toEqual(['unrecognized', 'duplicate', 'duplicate']);
    });
  });
}
