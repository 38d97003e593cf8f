/** Scheme `jwt`: verifies a JSON Web Token, and a hash of the body in it. */
import { createHash, KeyObject } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { notVerified, requiredHeader } from './headers.ts';
import { isPublicKey, readPublicKey } from './public-keys.ts';
import { decodeSignature } from './signed/keys.ts';
import type { JwtOptions, SlowScheme } from './verify-options.ts';

/** The algorithms of each kind of key. A secret never verifies what a public key would, nor the reverse. */
const algorithms: Readonly<Record<string, readonly string[]>> = {
  secret: ['HS256', 'HS384', 'HS512'],
  rsa: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ec: ['ES256', 'ES384', 'ES512'],
  ed25519: ['EdDSA', 'Ed25519'],
};

/**
 * Creates the scheme. `exp` and `nbf` are checked where the token has them, `iss` and `aud` where the options do.
 *
 * @throws PortariaError `misconfigured` when a public key is invalid
 */
export function jwtScheme(options: JwtOptions, clock: Clock): SlowScheme {
  const { header, iss, aud, bodyHash, toleranceSeconds, secrets } = options;
  const keys = secrets.map((secret, at) => keyOf(secret, at + 1));
  const claims = {
    clockTolerance: toleranceSeconds,
    ...(iss !== undefined && { issuer: iss }),
    ...(aud !== undefined && { audience: aud }),
  };
  return async (delivery) => {
    const token = requiredHeader(delivery, header)
      .trim()
      .replace(/^Bearer\s+/i, '');
    // Only these sources need the library.
    const { jwtVerify } = await import('jose');
    const currentDate = new Date(clock.now());
    let failure: unknown;
    for (const { key, allowed } of keys)
      try {
        const { payload } = await jwtVerify(token, key, { ...claims, algorithms: allowed, currentDate });
        if (bodyHash !== undefined) checkBody(payload[bodyHash.claim], delivery.body, bodyHash);
        return undefined;
      } catch (error) {
        // What an earlier key has verified says more than that a later one does not fit.
        if (failure === undefined || error instanceof PortariaError || 'payload' in (error as Error))
          failure = error;
      }
    throw refusal(failure, header, currentDate.getTime());
  };
}

function keyOf(secret: string, number: number) {
  const key = isPublicKey(secret) ? readPublicKey(null, secret) : Buffer.from(secret);
  if (typeof key === 'string')
    throw new PortariaError('misconfigured', `Secret ${String(number)} of scheme jwt ${key}`);
  const kind = key instanceof KeyObject ? (key.asymmetricKeyType ?? '') : 'secret';
  return { key, allowed: [...(algorithms[kind] ?? [])] };
}

/** @throws PortariaError `not-verified` */
function checkBody(claim: unknown, body: Uint8Array, how: NonNullable<JwtOptions['bodyHash']>): void {
  const given = typeof claim === 'string' ? decodeSignature(claim, how.encoding) : undefined;
  const expected = createHash(how.algorithm).update(body).digest();
  if (given === undefined || !equalsAny(fingerprint(given), [fingerprint(expected)]))
    throw notVerified('mismatch', `The claim ${how.claim} of the token is not the hash of the body`);
}

function refusal(error: unknown, header: string, now: number): PortariaError {
  if (error instanceof PortariaError) return error;
  const { code, claim, payload } = error as { code?: string; claim?: string; payload?: JWTPayload };
  const token = `The token in the header ${header}`;
  const away = (at = 0): number => Math.abs(Math.floor(now / 1000) - at);
  if (code === 'ERR_JWT_EXPIRED') return notVerified('too-old', `${token} has expired`, away(payload?.exp));
  if (code !== 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    const isForm = code === 'ERR_JWS_INVALID' || code === 'ERR_JWT_INVALID';
    return isForm
      ? notVerified('malformed', `${token} is not a JSON Web Token`)
      : notVerified('mismatch', `${token} is not signed by a known key`);
  }
  if (claim === 'nbf') return notVerified('too-new', `${token} is not valid yet`, away(payload?.nbf));
  return notVerified('mismatch', `The claim ${claim ?? ''} of the token is not the expected one`);
}
