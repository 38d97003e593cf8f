import type { VerifyOptions } from '../verify/verify-options.ts';

/** Everything a process is told. Read once, by `loadConfig`. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** SQLite file, absolute. */
  readonly database: string;
  /** How each source is verified; `default` is plain `/webhooks`. */
  readonly sources: ReadonlyMap<string, VerifyOptions>;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly onInvalid: 'reject' | 'accept';
  /** Of all held entries of the quarantine together. */
  readonly maxQuarantineBytes: number;
  /** Absolute; null means the shipped handlers. */
  readonly handlersFolder: string | null;
  readonly concurrency: number;
  readonly forward: {
    readonly url: string;
    readonly secret: string | null;
    readonly timeoutMs: number;
  } | null;
  /** The provider's API; null when it is not used. */
  readonly api: { readonly url: string; readonly key: string } | null;
  readonly ops: { readonly host: string; readonly port: number; readonly token: string | null };
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    /** Null: pretty on a terminal, else json. */
    readonly format: 'json' | 'pretty' | null;
  };
  readonly shutdownGraceMs: number;
  /** What is allowed but worth a word at start. */
  readonly warnings: readonly string[];
}
