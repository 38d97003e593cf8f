/** The schemes whose proof is the secret itself: a token, or a user's name and password. */
import type { RawDelivery } from '../event/delivery.ts';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';
import { notVerified, requiredHeader } from './headers.ts';
import type { BasicOptions, Scheme, TokenOptions } from './verify-options.ts';

/** Scheme `token`: a header, or a query parameter, contains one of the secrets. */
export function tokenScheme({ header, query, secrets }: TokenOptions): Scheme {
  const known = secrets.map((secret) => fingerprint(secret));
  const place = query === undefined ? `header ${header ?? ''}` : `query parameter ${query}`;
  return (delivery) => {
    const sent = query === undefined ? headerBytes(delivery, header ?? '') : parameter(delivery, query);
    if (!equalsAny(fingerprint(sent), known) && !equalsAny(fingerprint(withoutBearer(sent)), known))
      throw notVerified('mismatch', `The token in the ${place} is not a known one`);
    return undefined;
  };
}

/** Node decodes header bytes as Latin-1; senders write UTF-8. */
function headerBytes(delivery: RawDelivery, name: string): Buffer {
  return Buffer.from(requiredHeader(delivery, name), 'latin1');
}

/** No secret begins with this word and a space. */
function withoutBearer(sent: Buffer): Buffer {
  const prefix = /^Bearer\s+/i.exec(sent.toString('latin1', 0, 16))?.[0] ?? '';
  return sent.subarray(prefix.length);
}

function parameter({ query }: RawDelivery, name: string): Buffer {
  const value = query?.[name] ?? '';
  if (value === '') throw notVerified('missing', `The query parameter ${name} is missing`);
  return Buffer.from(value);
}

/** Scheme `basic`: the header `authorization` has one of the secrets, `user:password`, by RFC 7617. */
export function basicScheme({ secrets }: BasicOptions): Scheme {
  const known = secrets.map((secret) => fingerprint(secret));
  return (delivery) => {
    const value = requiredHeader(delivery, 'authorization');
    const base64 = /^\s*Basic\s+([A-Za-z0-9+/_-]+={0,2})\s*$/i.exec(value)?.[1];
    if (base64 === undefined)
      throw notVerified('malformed', 'The header authorization must be Basic, with user:password in base64');
    if (!equalsAny(fingerprint(Buffer.from(base64, 'base64')), known))
      throw notVerified('mismatch', 'User and password in the header authorization are not known ones');
    return undefined;
  };
}
