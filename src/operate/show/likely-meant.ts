/** What bodies that cannot be read seem to say: it is shown and searched by, and never becomes an event. */
import type { Contract } from '../../contract/contract.ts';
import { ENDS_EARLY, NOT_UTF8 } from '../../event/delivery.ts';
import { idText, isPrintable, subjectName } from '../../event/subject.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { maskText } from '../../kernel/text/scrub.ts';
import type { QuarantinedDelivery, QuarantineRecord } from '../../store/queries.ts';
import { storedEnvelope, utf8Text } from '../../view/payload/stored-envelope.ts';

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
  // A valid U+FFFD looks like what stands for a wrong byte, and begins with a byte that may be the wrong one.
  const again = Buffer.from(Buffer.from(body).toString());
  let offset = body.findIndex((each, index) => each !== again[index]);
  if (offset === -1) offset = body.byteLength;
  while (offset > 0 && ((again[offset] ?? 0) & 0xc0) === 0x80) offset -= 1;
  const byte = body[offset] ?? 0;
  return {
    offset,
    byte: `0x${byte.toString(16).toUpperCase()}`,
    character: latin1Text(body) === null ? null : String.fromCodePoint(byte),
  };
}

/** Whether kind and subject are read from a body that is not UTF-8, or that ends too early. */
export const isGuessed = ({ message }: Pick<QuarantineRecord, 'message'>): boolean =>
  message === NOT_UTF8 || message.startsWith(ENDS_EARLY);

/** The entry with the kind and subject that its sender may have meant, and a body that is not UTF-8 as Latin-1. */
export function likelyMeant(entry: QuarantinedDelivery, contract: Contract): QuarantinedDelivery {
  if (!isGuessed(entry)) return entry;
  const text = entry.message === NOT_UTF8 ? latin1Text(entry.body) : utf8Text(entry.body);
  if (text == null) return entry;
  const whole = { ...entry, body: Buffer.from(closedText(text.slice(0, MAX_TEXT))) };
  return { ...entry, body: Buffer.from(text), ...likelyNames(whole, contract) };
}

/** Characters in which a body names its kind and subject: it may be megabytes, and webhooks wait meanwhile. */
const MAX_TEXT = 32 * 1024;

/** Strings and other values, of which the last may have no end, and what structures JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:(")|\\?$)|[\w.+-]+|[{}[\],:]/gsu;

/** JSON up to its last whole member, with the brackets closed that are open there. */
function closedText(text: string): string {
  const open: string[] = [];
  let [end, isName] = [0, false];
  for (const { 0: token, 1: quote, index } of text.matchAll(TOKEN)) {
    const after = index + token.length;
    if (token === '{' || token === '[') open.push(token === '{' ? '}' : ']');
    const isClosing = token === '}' || token === ']';
    if (isClosing) open.pop();
    // A number at the end may go on.
    const isWhole = quote !== undefined || after < text.length || LITERAL.test(token);
    if (token === ',') end = index;
    else if (isClosing || (isWhole && !isName && token !== ':')) end = after;
    if (':{[,'.includes(token)) isName = token !== ':' && open.at(-1) === '}';
  }
  return text.slice(0, end) + open.toReversed().join('');
}

const LITERAL = /^(?:true|false|null|[{[])$/u;

function latin1Text(body: Uint8Array): string | null {
  const text = Buffer.from(body).toString('latin1');
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u0008\u000E-\u001F\u007F-\u009F]/u.test(text) ? null : text;
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
