/** Bytes off the wire, size and time bounded; nobody has looked at them yet. */
export interface RawDelivery {
  readonly stage: 'raw';
  /** The configured source it was posted to; `default` for plain `/webhooks`. */
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** All request headers, names in lower case. Only an allow-list is ever stored. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
