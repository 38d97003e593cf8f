/** The configuration that handlers may depend on, see `fromConfig`. */
export interface HandlerConfig {
  /** Where `forward` sends events; null when nothing is forwarded. */
  readonly forward: {
    readonly url: string;
    /** Signs what is sent, by Standard Webhooks (`whsec_...`); null: unsigned. */
    readonly secret: string | null;
    /** Milliseconds to wait for an answer. */
    readonly timeoutMs: number;
  } | null;
}
