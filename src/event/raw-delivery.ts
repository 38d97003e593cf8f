/** Bytes off the wire, size and time bounded; nobody has looked at them yet. */
export interface RawDelivery {
  readonly stage: 'raw';
  /** The configured source it was posted to; `default` for plain `/webhooks`. */
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** All request headers, names in lower case. Only an allow-list is ever stored. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names in lower case of the headers that were sent more than once, as far as the receiver can tell. */
  readonly repeatedHeaders?: readonly string[];
  readonly body: Uint8Array;
}
