import { createHmac } from 'node:crypto';
import { PortariaError } from '../kernel/errors.ts';
import { requiredHeader } from './required-header.ts';
import { fingerprint, sameAsAny } from './same-secret.ts';
import type { Scheme } from './scheme.ts';
import type { HmacOptions } from './verify-options.ts';

/** The header holds the HMAC-SHA-256 of the body's bytes under one of the secrets. */
export function hmacScheme({ header, secrets }: HmacOptions): Scheme {
  return (delivery) => {
    const signature = readSignature(requiredHeader(delivery, header));
    if (signature === undefined)
      throw new PortariaError(
        'not-verified',
        `The header ${header} must hold one HMAC-SHA-256, in hex or base64`,
      );
    const expected = secrets.map((secret) =>
      fingerprint(createHmac('sha256', secret).update(delivery.body).digest()),
    );
    if (!sameAsAny(fingerprint(signature), expected))
      throw new PortariaError('not-verified', `The signature in the header ${header} does not fit the body`);
  };
}

/** 32 bytes in hex of either case or in base64 of either alphabet, padded or not; `sha256=` may lead. */
function readSignature(value: string): Buffer | undefined {
  const text = value.replace(/^sha256=/i, '');
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  // 43 characters of base64 are 32 bytes and two bits, which Buffer drops.
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}
