/** How a source proves its deliveries, as settings and `defineSource` describe it. */

/** The schemes. Each reads fields of its own, see docs/senders.md. */
export const schemeNames = ['none', 'token', 'hmac', 'standard', 'signed', 'basic', 'jwt'] as const;
export type SchemeName = (typeof schemeNames)[number];

/** Senders whose fields are known. */
export const presetNames = [
  'stripe',
  'slack',
  'github',
  'shopify',
  'svix',
  'zoom',
  'mercado-pago',
  'asaas',
] as const;
export type PresetName = (typeof presetNames)[number];

/** HMACs under a shared secret, and signatures whose public key the receiver has. */
export const algorithms = ['sha1', 'sha256', 'sha512', 'ed25519', 'rsa-sha256', 'ecdsa-p256'] as const;
export type Algorithm = (typeof algorithms)[number];

export const encodings = ['hex', 'base64', 'base64url'] as const;
export type Encoding = (typeof encodings)[number];

/** How senders prove themselves, without secrets. */
export interface ProofDescription {
  /** A scheme, or a sender whose fields are known; other fields then replace those of the sender. */
  readonly scheme: SchemeName | PresetName;
  /** The header with the proof. */
  readonly header?: string;
  /** `token`: the query parameter with the token, instead of a header. */
  readonly query?: string;
  /** `signed`: what the header holds, such as `t={timestamp},v1={signature}`. Default `{signature}`. */
  readonly reads?: string;
  /** `signed`: what the sender signs, such as `{timestamp}.{body}`. */
  readonly signs?: string;
  readonly algorithm?: Algorithm;
  /** `signed`: how the signature is written. Default `hex`. */
  readonly encoding?: Encoding;
  /** `signed`: how a secret of an HMAC is written. Default `text`. */
  readonly key?: 'text' | 'base64' | 'hex';
  /** `signed`: the header that is `{timestamp}`. Default: one that `signs` names and that ends in `timestamp`. */
  readonly timestamp?: { readonly header: string };
  /** `signed`: the header that is `{id}`. Default: the header of the message id. */
  readonly id?: { readonly header: string };
  /** The allowed difference between the clocks, as `5m`, `300s` or a number of seconds. */
  readonly tolerance?: string | number;
  /** `jwt`: the issuer that the token must name. */
  readonly iss?: string;
  /** `jwt`: the audience that the token must name. */
  readonly aud?: string;
  /** `jwt`: the claim with a hash of the body. */
  readonly bodyHash?: {
    readonly claim: string;
    readonly algorithm?: 'sha256' | 'sha512';
    readonly encoding?: Encoding;
  };
}

/** A request that a function of the handlers folder gets. Nothing of it is verified yet. */
export interface UnverifiedRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** The decoded parameters of the query. */
  readonly query: Readonly<Record<string, string>>;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they came. */
  readonly body: Buffer;
}

/** The result of a function that verifies: false is 401, and a text is the sender's id of the message. */
export type Verified = boolean | string | { readonly messageId: string } | undefined;

/** Verifies a sender that no scheme fits. Returns false, or throws, for 401. */
export type VerifyFunction = (
  request: UnverifiedRequest,
  context: {
    readonly secrets: readonly string[];
    /** Milliseconds since 1970. */
    readonly now: number;
  },
) => Verified | void | Promise<Verified | void>;

/** How a source is verified; the secrets come from the environment. */
export type SourceVerification = SchemeName | PresetName | DescribedVerification | VerifyFunction;

/** A proof, with what `defineSource` may say beside it. */
export interface DescribedVerification extends ProofDescription {
  /** The environment variable with the secrets, separated by commas; `<name>_FILE` may name a file instead. */
  readonly secretsFrom?: string;
  /** The header with the sender's message id. Default `webhook-id`. */
  readonly messageIdHeader?: string;
  /** Whether to trust a message id that no signature covers. Default false. */
  readonly trustMessageId?: boolean;
}

/** What a definition says about verification, whatever its form. */
export interface DefinedVerification extends Pick<
  DescribedVerification,
  'secretsFrom' | 'messageIdHeader' | 'trustMessageId'
> {
  readonly proof: SchemeName | PresetName | ProofDescription | VerifyFunction;
}

/** Brings the forms of `verify` into one. */
export function definedVerification(
  verify: SourceVerification | undefined,
  secretsFrom: string | undefined,
): DefinedVerification | undefined {
  if (verify === undefined) return undefined;
  const beside = secretsFrom === undefined ? {} : { secretsFrom };
  if (typeof verify !== 'object' || (verify as unknown) === null) return { proof: verify, ...beside };
  const { secretsFrom: inside, messageIdHeader, trustMessageId, ...proof } = verify;
  return {
    proof,
    ...(inside === undefined ? beside : { secretsFrom: inside }),
    ...(messageIdHeader !== undefined && { messageIdHeader }),
    ...(trustMessageId !== undefined && { trustMessageId }),
  };
}
