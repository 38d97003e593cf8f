/** Signs bodies as a sender does, for samples and `send`. */
import { createHash, createHmac } from 'node:crypto';
import { PortariaError } from '../kernel/errors.ts';
import { hmacOf, isHmac, readSecretKey } from './signed/keys.ts';
import { contentWriter, signedNames } from './signed/signed-scheme.ts';
import { compileSigned } from './signed/template.ts';
import { isPublicKey } from './public-keys.ts';
import { signatureText, standardSigner } from './standard-webhooks.ts';
import type { JwtOptions, SignedOptions, VerifyOptions } from './verify-options.ts';

/** A message to sign. */
export interface SentMessage {
  /** Its id, signed by scheme `standard` and by templates with an id. */
  readonly id: string;
  /** The time of sending in milliseconds since 1970. */
  readonly now: number;
  /** Where it is sent to, with the parameters of `signingQuery`, for templates that sign that. */
  readonly url?: URL;
}

/**
 * Signs a body with the first secret of a verification scheme.
 *
 * @returns the headers to send with the body.
 * @throws PortariaError `invalid-argument` for a scheme by which only the sender can sign
 */
export function signingHeaders(
  verify: VerifyOptions,
  body: Uint8Array,
  message: SentMessage,
): Readonly<Record<string, string>> {
  switch (verify.scheme) {
    case 'none':
      return {};
    case 'token':
      return verify.header === undefined ? {} : { [verify.header]: firstOf(verify.secrets) };
    case 'hmac':
      return { [verify.header]: createHmac('sha256', firstOf(verify.secrets)).update(body).digest('hex') };
    case 'standard': {
      const at = Math.floor(message.now / 1000);
      const secret = firstOf(verify.secrets.filter((one) => !isPublicKey(one)));
      if (secret === '') throw onlySender('a private key');
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      return {
        'webhook-id': message.id,
        'webhook-timestamp': String(at),
        'webhook-signature': signatureText(standardSigner(key)(message.id, at, body)),
      };
    }
    case 'basic':
      return { authorization: `Basic ${Buffer.from(firstOf(verify.secrets)).toString('base64')}` };
    case 'signed':
      return signTemplate(verify, body, message);
    case 'jwt':
      return { [verify.header]: `Bearer ${signToken(verify, body, message)}` };
    case 'function':
      throw onlySender('what its function verifies');
  }
}

/** The query parameters that a sender adds to the address. */
export function signingQuery(verify: VerifyOptions): Readonly<Record<string, string>> {
  if (verify.scheme === 'token' && verify.query !== undefined)
    return { [verify.query]: firstOf(verify.secrets) };
  if (verify.scheme !== 'signed') return {};
  return Object.fromEntries(signedNames(verify).parameters.map((name) => [name, '1']));
}

function signTemplate(verify: SignedOptions, body: Uint8Array, { id, now, url }: SentMessage) {
  const { algorithm, header, timestampHeader, idHeader, messageIdHeader } = verify;
  if (!isHmac(algorithm)) throw onlySender('a private key');
  const key = readSecretKey(verify.key, firstOf(verify.secrets));
  const parts = compileSigned(verify.signs).value ?? [];
  const timestamp = String(Math.floor(now / 1000));
  const headers: Record<string, string> = {};
  for (const part of parts)
    if (part.type === 'header') headers[part.name] = part.name === 'host' ? (url?.host ?? '') : id;
    else if (part.type === 'id') headers[idHeader ?? messageIdHeader] = id;
  if (timestampHeader !== undefined) headers[timestampHeader] = timestamp;
  const sent = {
    method: 'POST',
    path: url?.pathname ?? '/webhooks',
    search: url?.search ?? '',
    headers: { ...headers, host: url?.host ?? '' },
    query: Object.fromEntries(url?.searchParams ?? Object.entries(signingQuery(verify))),
    body,
  };
  const mac = hmacOf(algorithm, Buffer.from(key), contentWriter(parts)(sent, { timestamp, id }));
  const values: Readonly<Record<string, string>> = {
    '{signature}': mac.toString(verify.encoding),
    '{timestamp}': timestamp,
    '{id}': id,
  };
  headers[header] = verify.reads.replaceAll(/\{\w+\}/g, (name) => values[name] ?? name);
  return headers;
}

function signToken(verify: JwtOptions, body: Uint8Array, { id, now }: SentMessage): string {
  const { iss, aud, bodyHash } = verify;
  const secret = firstOf(verify.secrets);
  if (isPublicKey(secret)) throw onlySender('a private key');
  const iat = Math.floor(now / 1000);
  const hash = bodyHash && createHash(bodyHash.algorithm).update(body).digest(bodyHash.encoding);
  const claims = { jti: id, iat, exp: iat + 60, iss, aud, ...(bodyHash && { [bodyHash.claim]: hash }) };
  const content = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

function onlySender(what: string): PortariaError {
  return new PortariaError('invalid-argument', `Only the sender of this source can sign: it has ${what}`);
}

/** The configuration guarantees at least one secret. */
function firstOf(secrets: readonly string[]): string {
  return secrets[0] ?? '';
}
