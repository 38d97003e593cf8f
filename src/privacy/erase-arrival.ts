/** Erases known persons from what is imported. */
import { createSecretKey } from 'node:crypto';
import type { Contract } from '../contract/contract.ts';
import type { RejectedDelivery, VerifiedDelivery } from '../event/delivery.ts';
import type { IdentifiedEvent } from '../event/event.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { parseJson } from '../kernel/json/parse-json.ts';
import { keyedDigest, keyedEntity } from '../store/erased-content.ts';
import type { Privacy, StoredContent } from '../store/privacy.ts';
import { eraseContent, type Finding } from './erase-content.ts';
import { isWholly, personsOf } from './person.ts';

/** Erases everyone in the ledger from what is imported, before it is stored. */
export interface ArrivalEraser {
  /** Returns the event as it would be had it been erased in the store: a copy of an erased event is its repeat. */
  event(event: IdentifiedEvent): IdentifiedEvent;
  rejected(rejected: RejectedDelivery): RejectedDelivery;
}

/** Returns null when nobody was ever erased. */
export async function createArrivalEraser(
  store: Pick<Privacy, 'erasures' | 'erasureKey'>,
  contract: Contract,
): Promise<ArrivalEraser | null> {
  const identifiers = (await store.erasures()).flatMap((erasure) => erasure.identifiers);
  if (identifiers.length === 0) return null;
  const key = await store.erasureKey();
  const persons = personsOf(identifiers, key);
  const secret = createSecretKey(key);

  const find = (content: StoredContent): Finding | null => eraseContent(content, persons, contract);

  return {
    event(event) {
      const { parsed, subject } = event;
      const found = find(contentOf('event', parsed.delivery, parsed.kind, subject));
      const isNamed = isWholly(subject.id, persons);
      if (found === null && !isNamed) return event;
      const delivery = found === null ? parsed.delivery : erasedDelivery(parsed.delivery, found);
      const data = dataOf(delivery);
      return {
        ...event,
        parsed: { ...parsed, delivery, data, flags: [...parsed.flags, 'erased'] },
        subject: isNamed ? { ...subject, id: keyedEntity(secret, subject.id) } : subject,
        digest: keyedDigest(secret, event.digest),
        messageDigest:
          event.messageDigest === null || delivery.messageId === parsed.delivery.messageId
            ? event.messageDigest
            : keyedDigest(secret, event.messageDigest),
      };
    },
    rejected(rejected) {
      const { delivery, kind, subject, message, issues } = rejected;
      const content = contentOf('quarantine', delivery, kind, null);
      const texts = { ...content.texts, message, issues: JSON.stringify(issues), subject };
      const found = find({ ...content, texts });
      if (found === null) return rejected;
      const after = found.change.texts ?? {};
      return {
        ...rejected,
        delivery: erasedDelivery(delivery, found),
        subject: after['subject']?.after ?? subject,
        message: after['message']?.after ?? message,
        issues:
          after['issues'] === undefined
            ? issues
            : (JSON.parse(after['issues'].after) as RejectedDelivery['issues']),
      };
    },
  };

  /** The payload of an erased body is still an object: only its values were replaced. */
  function dataOf({ source, body }: VerifiedDelivery): JsonObject {
    return contract.dataOf(source, parseJson(new TextDecoder().decode(body))) as JsonObject;
  }
}

function contentOf(
  place: 'event' | 'quarantine',
  { source, receivedAt, headers, messageId, body }: VerifiedDelivery,
  kind: string | null,
  subject: StoredContent['subject'],
): StoredContent {
  const texts = { headers: JSON.stringify(headers), message_id: messageId };
  return { place, row: 0, id: '', source, kind, subject, at: receivedAt, body, texts };
}

function erasedDelivery(delivery: VerifiedDelivery, { change }: Finding): VerifiedDelivery {
  const { headers, message_id: messageId } = change.texts ?? {};
  return {
    ...delivery,
    body: change.body?.after ?? delivery.body,
    headers:
      headers === undefined ? delivery.headers : (JSON.parse(headers.after) as VerifiedDelivery['headers']),
    messageId: messageId === undefined ? delivery.messageId : messageId.after,
  };
}
