import type { VerifyOptions } from '../verify/verify-options.ts';

/** The configuration of a process, as `loadConfig` reads it from the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absolute path of the SQLite file, or `:memory:`. */
  readonly database: string;
  /** Verification of each source, by name; `default` is plain `/webhooks`. */
  readonly sources: ReadonlyMap<string, VerifyOptions>;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly onInvalid: 'reject' | 'accept';
  /** Of all unreleased entries of the quarantine. */
  readonly maxQuarantineBytes: number;
  /** Absolute path; null for the shipped handlers. */
  readonly handlersFolder: string | null;
  readonly concurrency: number;
  readonly forward: {
    readonly url: string;
    readonly secret: string | null;
    readonly timeoutMs: number;
  } | null;
  /** The provider's API; null if it is not configured. */
  readonly api: { readonly url: string; readonly key: string } | null;
  readonly ops: {
    readonly host: string;
    readonly port: number;
    readonly token: string | null;
    /** Admits to reading with masked data; only beside `token`. */
    readonly viewToken: string | null;
  };
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    /** Null for `pretty` on a terminal, else `json`. */
    readonly format: 'json' | 'pretty' | null;
  };
  readonly shutdownGraceMs: number;
  /** Allowed settings that deserve attention; logged at start. */
  readonly warnings: readonly string[];
}
