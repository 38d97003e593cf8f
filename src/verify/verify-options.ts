/** The options of each verification scheme. */
import type { PresetName, VerifyFunction } from '../contract/source-verification.ts';
import type { RawDelivery } from '../event/delivery.ts';
import type { ProofFields } from './proof-fields.ts';

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

interface SecretOptions extends BaseOptions {
  /** Any of these is accepted, so that an old and a new secret can overlap. */
  readonly secrets: readonly string[];
  /** The sender whose fields these are. */
  readonly preset?: PresetName;
}

/** Accepts any sender. */
export interface NoneOptions extends BaseOptions {
  readonly scheme: 'none';
}

/** The fields of a description as they were read, without those that the options call otherwise. */
type Described<Name extends keyof ProofFields> = SecretOptions & { readonly scheme: Name } & Omit<
    ProofFields[Name],
    'tolerance' | 'timestamp' | 'id'
  >;

/** The sender sends a secret in a header or, with `query`, in a parameter. */
export type TokenOptions = Described<'token'>;

/** The sender signs the body with HMAC-SHA-256. The key is a secret's UTF-8 bytes. */
export type HmacOptions = Described<'hmac'>;

/**
 * The sender signs id, time and body by Standard Webhooks (https://www.standardwebhooks.com). A secret is base64,
 * with or without the prefix `whsec_`; a public key is `whpk_…`.
 */
export interface StandardOptions extends SecretOptions {
  readonly scheme: 'standard';
  /** The allowed difference between the clocks of sender and receiver. Default: 300. */
  readonly toleranceSeconds?: number;
}

/** The sender signs what a template says. */
export type SignedOptions = Described<'signed'> & {
  readonly timestampHeader?: string;
  /** Default: `messageIdHeader`. */
  readonly idHeader?: string;
  readonly toleranceSeconds: number;
};

/** The sender sends `user:password` by HTTP's basic authentication. */
export interface BasicOptions extends SecretOptions {
  readonly scheme: 'basic';
}

/** The sender sends a JSON Web Token. */
export type JwtOptions = Described<'jwt'> & { readonly toleranceSeconds: number };

/** A function of the handlers folder verifies the sender. */
export interface FunctionOptions extends SecretOptions {
  readonly scheme: 'function';
  readonly verify: VerifyFunction;
}

/** How the deliveries of a source are verified. */
export type VerifyOptions =
  | NoneOptions
  | TokenOptions
  | HmacOptions
  | StandardOptions
  | SignedOptions
  | BasicOptions
  | JwtOptions
  | FunctionOptions;

/** Options without what each source has of its own. */
export type Proof = WithoutSource<VerifyOptions>;
type WithoutSource<Options> = Options extends unknown ? Omit<Options, keyof BaseOptions | 'secrets'> : never;

/** How people call a proof. */
export function nameOfProof(proof: Proof): string {
  return ('preset' in proof ? proof.preset : undefined) ?? proof.scheme;
}

/**
 * Verifies the sender of a delivery by one scheme, and returns the message id if the proof has it.
 *
 * @throws PortariaError `not-verified`
 */
export type Scheme = (delivery: RawDelivery) => string | undefined;

/** The same, of a scheme that takes time. */
export type SlowScheme = (delivery: RawDelivery) => Promise<string | undefined>;
