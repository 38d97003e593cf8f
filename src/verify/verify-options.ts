interface AnyScheme {
  /** Header with the sender's own message id, in lower case. */
  readonly messageIdHeader: string;
  /** Whether a message id counts that no signature covers; no unless given. */
  readonly trustMessageId?: boolean;
}

/** Anybody may send. */
export interface NoneOptions extends AnyScheme {
  readonly scheme: 'none';
}

/** The sender shows a secret. */
export interface TokenOptions extends AnyScheme {
  readonly scheme: 'token';
  /** In lower case. */
  readonly header: string;
  /** Any of them fits, so that an old and a new one overlap. */
  readonly secrets: readonly string[];
}

/** The sender signs the body with HMAC-SHA-256. */
export interface HmacOptions extends AnyScheme {
  readonly scheme: 'hmac';
  /** In lower case. */
  readonly header: string;
  /** As text: the key is its UTF-8 bytes. Any of them fits. */
  readonly secrets: readonly string[];
}

/** The sender signs id, time and body as https://www.standardwebhooks.com says. */
export interface StandardOptions extends AnyScheme {
  readonly scheme: 'standard';
  /** Base64, with or without `whsec_` before it. Any of them fits. */
  readonly secrets: readonly string[];
  /** How far the sender's clock may be off, either way; 300 unless given. */
  readonly toleranceSeconds?: number;
}

/** How the senders of a source are verified. */
export type VerifyOptions = NoneOptions | TokenOptions | HmacOptions | StandardOptions;
