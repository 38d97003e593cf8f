/** A delivery whose sender is known, as far as the source's scheme can tell. */
export interface VerifiedDelivery {
  readonly stage: 'verified';
  readonly source: string;
  /** False where the source takes anybody's webhooks: scheme `none`. */
  readonly senderVerified: boolean;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** The headers worth keeping: no secret, token or signature among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The sender's own message id (`webhook-id`), when it gave one. */
  readonly messageId: string | null;
  /**
   * Whether the id is the sender's own word: the signature covers it, or a setting trusts it. Any other is
   * kept to be seen, and decides nothing.
   */
  readonly messageIdTrusted: boolean;
}
