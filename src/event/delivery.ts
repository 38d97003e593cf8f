/** A delivery as it was received: the size and time limits hold, and nothing is verified yet. */
export interface RawDelivery {
  readonly stage: 'raw';
  /** The configured source that it was posted to; `default` for plain `/webhooks`. */
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** All request headers, names in lower case. Only those on a list are stored. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names in lower case of the headers that were sent more than once, as far as the receiver knows. */
  readonly repeatedHeaders?: readonly string[];
  readonly body: Uint8Array;
  // An address may hold a secret, so none of the following is stored, logged or counted. They may be missing in
  // deliveries that did not come by HTTP.
  readonly method?: string;
  /** As sent, without the query. */
  readonly path?: string;
  /** The query as sent, with its `?`; empty without one. */
  readonly search?: string;
  /** The decoded parameters of the query. */
  readonly query?: Readonly<Record<string, string>>;
  /** Names of the parameters that were sent more than once. */
  readonly repeatedQuery?: readonly string[];
}

/** The request of a delivery, for a function: copies, because it may change them, and the bytes are stored as they came. */
export function copiedRequest({ method = '', path = '', query, headers, body }: RawDelivery): {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
} {
  return { method, path, query: { ...query }, headers: { ...headers }, body: Buffer.from(body) };
}

/** The headers that are stored with every body. Signatures, tokens, cookies and addresses are not. */
export const storedWithEvery: readonly string[] = [
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
];

/** A delivery whose sender the source's scheme has verified. */
export interface VerifiedDelivery {
  readonly stage: 'verified';
  readonly source: string;
  /** False for scheme `none`, which accepts any sender. */
  readonly senderVerified: boolean;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** The headers to store, without secrets, tokens and signatures. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The sender's own message id (`webhook-id`), when there is one. */
  readonly messageId: string | null;
  /** Whether the signature covers the id, or a setting trusts it. Any other id is stored and decides nothing. */
  readonly messageIdTrusted: boolean;
  /** Set where the signature does not cover the body: an id in it is stored, and decides nothing. */
  readonly isBodyOpen?: true;
  /**
   * Of an observed source: the scheme or known sender whose proof fits, and `passed`; or `none`, and why verification would
   * have rejected the delivery. `senderVerified` says whether the configured proof passed.
   */
  readonly observed?: { readonly scheme: string; readonly result: string };
}

/** A verified delivery that goes to quarantine with its raw bytes. */
export interface RejectedDelivery {
  readonly stage: 'rejected';
  readonly delivery: VerifiedDelivery;
  readonly reason: RejectionReason;
  /** The envelope's `type`, when it is readable. */
  readonly kind: string | null;
  /** The subject that its data names, as `family:id`; null where it is not readable. */
  readonly subject: string | null;
  readonly message: string;
  readonly issues: readonly ParseIssue[];
}

/**
 * Why a verified delivery is not an event.
 *
 * - `malformed`: not UTF-8, not JSON, nested too deep, or not an envelope.
 * - `invalid`: an envelope of a known kind whose data does not match its schema.
 * - `conflict`: a message id that was used before, for another content.
 */
export type RejectionReason = 'malformed' | 'invalid' | 'conflict';

export const NOT_UTF8 = 'The body is not UTF-8';
export const ENDS_EARLY = 'The body is not JSON: it ends too early';

/** How the messages of bodies begin that no contract will ever let through. */
const unreadable = [NOT_UTF8, 'The body is not JSON', 'The body is empty', 'The body is nested deeper'];

/** Whether no contract will ever let a body with this message through. */
export const isUnreadable = (message: string): boolean =>
  unreadable.some((begin) => message.startsWith(begin));

/** One mistake in a body. */
export interface ParseIssue {
  /** The path in the envelope, for example `data.amount`; empty for the whole body. */
  readonly path: string;
  readonly message: string;
}
