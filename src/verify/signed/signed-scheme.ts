/** Scheme `signed`: verifies what a template says that the sender signs. */
import type { RawDelivery } from '../../event/delivery.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { notVerified, requiredHeader } from '../headers.ts';
import { checkTimestamp, readTimestamp } from '../timestamps.ts';
import type { Scheme, SignedOptions } from '../verify-options.ts';
import { decodeSignature, readKey, type Content, type MatchesKey } from './keys.ts';
import { compileHeader, compileSigned, type Compiled, type HeaderValues, type Part } from './template.ts';

/**
 * Creates the scheme. Its templates are compiled here, once.
 *
 * @throws PortariaError `misconfigured` when a template or a secret is invalid
 */
export function signedScheme(options: SignedOptions, clock: Clock): Scheme {
  const { header, timestampHeader, toleranceSeconds, encoding } = options;
  const template = valueOf(compileHeader(options.reads), 'reads');
  const keys = keysOf(options);
  const idHeader = template.hasId ? null : (options.idHeader ?? options.messageIdHeader);
  const timed = timestampHeader ?? (template.hasTimestamp ? header : undefined);
  const parts = valueOf(compileSigned(options.signs), 'signs');
  const write = contentWriter(parts);
  const signsId = parts.some(({ type }) => type === 'id');
  const isIdDelimited = parts.some((part, at) => part.type === 'id' && isDelimited(parts, at));

  return (delivery) => {
    const values = template.read(requiredHeader(delivery, header));
    const signatures = values.signatures.flatMap((text) => decodeSignature(text, encoding) ?? []);
    if (signatures.length === 0)
      throw notVerified('malformed', `The header ${header} must be ${options.reads}, in ${encoding}`);
    const id =
      idHeader === null ? onlyOne(values, 'ids', header) : signsId ? requiredHeader(delivery, idHeader) : '';
    let timestamp = '';
    if (timed !== undefined) {
      timestamp =
        timestampHeader === undefined
          ? onlyOne(values, 'timestamps', header)
          : requiredHeader(delivery, timestampHeader);
      const at = readTimestamp(timestamp);
      if (at === undefined)
        throw notVerified('malformed', `The header ${timed} must hold seconds or milliseconds since 1970`);
      checkTimestamp(timed, at, Math.floor(clock.now() / 1000), toleranceSeconds);
    }
    const content = write(delivery, { timestamp, id });
    // Every key is tried, so that the time does not show which one matched.
    if (keys.filter((matches) => matches(content, signatures)).length === 0)
      throw notVerified('mismatch', `No signature in the header ${header} matches the message`);
    return idHeader === null && isIdDelimited ? id : undefined;
  };
}

function keysOf({ secrets, algorithm, key }: SignedOptions): readonly MatchesKey[] {
  return secrets.map((secret, at) => {
    const { value, mistake } = readKey(algorithm, key, secret);
    if (value !== undefined) return value;
    throw new PortariaError('misconfigured', `Secret ${String(at + 1)} of scheme signed ${mistake}`);
  });
}

/** The configuration has checked it. */
function valueOf<T>(compiled: Compiled<T>, field: string): T {
  if (compiled.value !== undefined) return compiled.value;
  throw new PortariaError('misconfigured', `The template ${field} ${compiled.mistake ?? ''}`);
}

/** A value that the sender may give once: the receiver must not guess which one is signed. */
function onlyOne(values: HeaderValues, name: 'ids' | 'timestamps', header: string): string {
  const [value, another] = values[name];
  const what = name === 'ids' ? 'id' : 'timestamp';
  if (value === undefined) throw notVerified('malformed', `The header ${header} has no ${what}`);
  if (another === undefined) return value;
  throw notVerified('repeated', `The header ${header} has more than one ${what}; send it once`);
}

/** What a template gets besides the delivery. */
interface TemplateValues {
  readonly timestamp: string;
  readonly id: string;
}

/** What a source of the scheme reads of a request, besides the header with the signature. */
interface SignedNames {
  readonly headers: readonly string[];
  readonly parameters: readonly string[];
  /** The headers whose values the signature covers whole. A value beside another one could begin elsewhere. */
  readonly ids: readonly string[];
}

export function signedNames({
  signs,
  timestampHeader = '',
  idHeader,
  messageIdHeader,
}: SignedOptions): SignedNames {
  const parts = compileSigned(signs).value ?? [];
  const idName = idHeader ?? messageIdHeader;
  const headerOf = (part: Part): readonly string[] => (part.type === 'header' ? [part.name] : []);
  const all = parts.flatMap((part) => (part.type === 'optional' ? part.parts : [part]));
  return {
    headers: [...all.flatMap(headerOf), timestampHeader, idName],
    parameters: all.flatMap((part) => (part.type === 'query' ? [part.name] : [])),
    ids: parts.flatMap((part, at) =>
      isDelimited(parts, at) ? (part.type === 'id' ? [idName] : headerOf(part)) : [],
    ),
  };
}

function isDelimited(parts: readonly Part[], at: number): boolean {
  return [parts[at - 1], parts[at + 1]].every((part) => part === undefined || part.type === 'text');
}

/** The parts of a request that are signed. */
export type SignedRequest = Pick<RawDelivery, 'body' | 'headers' | 'method' | 'path' | 'search' | 'query'>;

/** Creates the writer of what is signed: the texts before, between and after the bodies, as one piece each. */
export function contentWriter(
  parts: readonly Part[],
): (request: SignedRequest, values: TemplateValues) => Content {
  // Node reads each byte of a header as one character: literal text is put into the same form.
  const prepared = parts.map(inLatin1);
  return (request, values) => {
    const content: (string | Uint8Array)[] = [];
    let text = '';
    for (const part of prepared)
      if (part.type === 'body') {
        if (text !== '') content.push(text);
        content.push(request.body);
        text = '';
      } else text += valueOfPart(part, request, values);
    if (text !== '') content.push(text);
    return content;
  };
}

function inLatin1(part: Part): Part {
  if (part.type === 'optional') return { ...part, parts: part.parts.map(inLatin1) };
  return part.type === 'text' ? { ...part, text: Buffer.from(part.text).toString('latin1') } : part;
}

/** Whether a part is a header or parameter that the sender has left out. */
function isLeftOut(part: Part, { headers, query }: SignedRequest): boolean {
  if (part.type === 'header') return headers[part.name] === undefined;
  return part.type === 'query' && query?.[part.name] === undefined;
}

function valueOfPart(part: Part, request: SignedRequest, values: TemplateValues): string {
  const { timestamp, id } = values;
  switch (part.type) {
    case 'optional':
      return part.parts.some((one) => isLeftOut(one, request))
        ? ''
        : part.parts.map((one) => valueOfPart(one, request, values)).join('');
    case 'text':
      return part.text;
    case 'timestamp':
      return timestamp;
    case 'id':
      return id;
    case 'header':
      return requiredHeader(request, part.name);
    case 'query': {
      const value = request.query?.[part.name];
      if (value !== undefined)
        return Buffer.from(part.isLower ? value.toLowerCase() : value).toString('latin1');
      throw notVerified('missing', `The query parameter ${part.name} is missing`);
    }
    case 'method':
      return request.method ?? '';
    case 'path':
      return request.path ?? '';
    case 'url':
      return urlOf(request);
    case 'body':
    case 'signature':
      return '';
  }
}

/** The address as the sender knows it: a proxy in front says how it was called. */
function urlOf({ headers, path = '', search = '' }: SignedRequest): string {
  const first = (name: string): string | undefined => headers[name]?.split(',', 1)[0]?.trim();
  const host = first('x-forwarded-host') ?? headers['host'] ?? '';
  const scheme = first('x-forwarded-proto') ?? 'http';
  if (/^https?$/.test(scheme) && /^[\w.:[\]-]+$/.test(host)) return `${scheme}://${host}${path}${search}`;
  throw notVerified('malformed', 'The headers x-forwarded-proto and x-forwarded-host are no scheme and host');
}
