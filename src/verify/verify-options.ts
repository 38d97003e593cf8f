/** The options of each verification scheme. */
import type { RawDelivery } from '../event/delivery.ts';

interface BaseOptions {
  /** Name of the header with the sender's own message id, in lower case. */
  readonly messageIdHeader: string;
  /** Whether to trust a message id that no signature covers. Default: no. */
  readonly trustMessageId?: boolean;
  /** Names in lower case of further headers to store with each delivery. Never secrets. */
  readonly storedHeaders?: readonly string[];
  /** The setting with the secrets, for the operator who has to change them. */
  readonly secretsFrom?: string;
}

/** Accepts any sender. */
export interface NoneOptions extends BaseOptions {
  readonly scheme: 'none';
}

/** The sender sends a secret in a header. */
export interface TokenOptions extends BaseOptions {
  readonly scheme: 'token';
  /** Name of the header, in lower case. */
  readonly header: string;
  /** Any of these is accepted, so that an old and a new secret can overlap. */
  readonly secrets: readonly string[];
}

/** The sender signs the body with HMAC-SHA-256. */
export interface HmacOptions extends BaseOptions {
  readonly scheme: 'hmac';
  /** Name of the header, in lower case. */
  readonly header: string;
  /** The key is a secret's UTF-8 bytes. Any of these is accepted. */
  readonly secrets: readonly string[];
}

/** The sender signs id, time and body by Standard Webhooks (https://www.standardwebhooks.com). */
export interface StandardOptions extends BaseOptions {
  readonly scheme: 'standard';
  /** Base64, with or without the prefix `whsec_`. Any of these is accepted. */
  readonly secrets: readonly string[];
  /** The allowed difference between the clocks of sender and receiver. Default: 300. */
  readonly toleranceSeconds?: number;
}

/** How the deliveries of a source are verified. */
export type VerifyOptions = NoneOptions | TokenOptions | HmacOptions | StandardOptions;

/**
 * Verifies the sender of a delivery by one scheme.
 *
 * @throws PortariaError `not-verified`
 */
export type Scheme = (delivery: RawDelivery) => void;
