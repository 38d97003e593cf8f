/** The schemes whose proof is one header. */
import { createHmac } from 'node:crypto';
import { PortariaError } from '../kernel/errors.ts';
import { requiredHeader } from './headers.ts';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';
import type { HmacOptions, Scheme, TokenOptions } from './verify-options.ts';

/** Scheme `token`: the header contains one of the secrets. */
export function tokenScheme({ header, secrets }: TokenOptions): Scheme {
  const known = secrets.map((secret) => fingerprint(secret));
  return (delivery) => {
    // Node decodes header bytes as Latin-1; senders write UTF-8.
    const given = fingerprint(Buffer.from(requiredHeader(delivery, header), 'latin1'));
    if (!equalsAny(given, known))
      throw new PortariaError('not-verified', `The token in the header ${header} is not a known one`);
  };
}

/** Scheme `hmac`: the header contains the HMAC-SHA-256 of the body under one of the secrets. */
export function hmacScheme({ header, secrets }: HmacOptions): Scheme {
  return (delivery) => {
    const signature = readSignature(requiredHeader(delivery, header));
    if (signature === undefined)
      throw new PortariaError(
        'not-verified',
        `The header ${header} must contain one HMAC-SHA-256, in hex or base64`,
      );
    const expected = secrets.map((secret) =>
      fingerprint(createHmac('sha256', secret).update(delivery.body).digest()),
    );
    if (!equalsAny(fingerprint(signature), expected))
      throw new PortariaError(
        'not-verified',
        `The signature in the header ${header} does not match the body`,
      );
  };
}

/** Reads 32 bytes in hex or base64, of any case, alphabet and padding, with or without the prefix `sha256=`. */
function readSignature(value: string): Buffer | undefined {
  const text = value.replace(/^sha256=/i, '');
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  // 43 characters of base64 are 32 bytes and two bits; Buffer drops the bits.
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}
