/** Reads bodies that are not UTF-8 as Latin-1: what they say is shown and searched by, and never becomes an event. */
import type { Contract } from '../contract/contract.ts';
import { NOT_UTF8 } from '../event/delivery.ts';
import { idText, isPrintable, subjectName } from '../event/subject.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { maskText } from '../kernel/text/scrub.ts';
import type { Queries, QuarantinedDelivery, QuarantineRecord } from '../store/queries.ts';
import { storedEnvelope, utf8Text } from '../view/payload/stored-envelope.ts';

/** The first byte that is not UTF-8. */
export interface WrongByte {
  readonly offset: number;
  /** `0xE7` */
  readonly byte: string;
  /** What Latin-1 reads there; null where the body is no text in Latin-1 either. */
  readonly character: string | null;
}

/** Finds the first byte that is not UTF-8; null in a body of UTF-8. */
export function wrongByte(body: Uint8Array): WrongByte | null {
  if (utf8Text(body) !== undefined) return null;
  const text = Buffer.from(body).toString();
  const offset = Buffer.byteLength(text.slice(0, text.indexOf('\uFFFD')));
  const byte = body[offset] ?? 0;
  return {
    offset,
    byte: `0x${byte.toString(16).toUpperCase()}`,
    character: latin1Text(body) === null ? null : String.fromCodePoint(byte),
  };
}

/** The entry with the body, kind and subject that its sender may have meant; null where the body is no text. */
export function asLatin1(entry: QuarantinedDelivery, contract: Contract): QuarantinedDelivery | null {
  const text = latin1Text(entry.body);
  if (text === null) return null;
  const read = { ...entry, body: Buffer.from(text) };
  return { ...read, ...likelyNames(read, contract) };
}

function latin1Text(body: Uint8Array): string | null {
  const text = Buffer.from(body).toString('latin1');
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u0008\u000E-\u001F\u007F-\u009F]/u.test(text) ? null : text;
}

/** Entries with the kind and the subject that those in Latin-1 seem to have. */
export async function withLikelyNames<Entry extends QuarantineRecord>(
  { store, contract }: { readonly store: Pick<Queries, 'quarantinedDelivery'>; readonly contract: Contract },
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry.message !== NOT_UTF8) return entry;
      const stored = await store.quarantinedDelivery(entry.id);
      const read = stored === null ? null : asLatin1(stored, contract);
      return read === null ? entry : { ...entry, kind: read.kind, subject: read.subject };
    }),
  );
}

function likelyNames(
  entry: QuarantinedDelivery,
  contract: Contract,
): Pick<QuarantineRecord, 'kind' | 'subject'> {
  const envelope = storedEnvelope(entry, contract);
  const kind = envelope && contract.find(entry.source, envelope.kind);
  // Of a kind that nobody has defined, the sender may have written anything.
  if (envelope === undefined || kind === undefined) return { kind: null, subject: null };
  try {
    const id = idText(kind.subjectId(envelope.data as JsonObject));
    const isId = id !== undefined && isPrintable(id) && maskText(id) === id;
    return { kind: kind.kind, subject: isId ? subjectName({ family: kind.family, id }) : null };
  } catch {
    // Data that is not valid may have no id.
    return { kind: kind.kind, subject: null };
  }
}
