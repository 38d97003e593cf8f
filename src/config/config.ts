/** The types of a checked configuration. */
import type { Found } from './found-mistakes.ts';
import type { Expectation } from './read-expectations.ts';
import type { SignOnSettings } from '../access/sign-on.ts';
import type { SourceContract } from '../contract/contract.ts';
import type { SourceFields } from '../contract/source-fields.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';

/** The configuration of a process, as `loadConfig` reads it from the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absolute path of the SQLite file, `:memory:`, or the address of a PostgreSQL database. */
  readonly database: string;
  /** The address of the same database in PostgreSQL without a pooler; null when it is the same. */
  readonly databaseDirect: string | null;
  /** The sources by name; `default` is plain `/webhooks`. */
  readonly sources: ReadonlyMap<string, ConfiguredSource>;
  /** Reads what a source of the handlers folder needs of the environment. */
  readonly readDefinedSource: ReadDefinedSource;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly onInvalid: 'reject' | 'accept';
  /** What becomes of an event with a value that an enumeration of the contract does not list. */
  readonly onUnknownValue: 'accept' | 'quarantine';
  /** Maximum bytes of all unreleased entries of the quarantine. */
  readonly maxQuarantineBytes: number;
  /** How long content is kept, in milliseconds; null for ever. */
  readonly keep: {
    readonly events: number | null;
    readonly quarantine: number | null;
    readonly deliveries: number | null;
    readonly audit: number | null;
  };
  /** Absolute path; null for the shipped handlers. */
  readonly handlersFolder: string | null;
  /** Milliseconds for the import of one file. */
  readonly handlersTimeoutMs: number;
  readonly concurrency: number;
  /** How events are posted: to the address of `forward`, and to that of a replay. */
  readonly posting: {
    readonly secret: string | null;
    readonly timeoutMs: number;
    /** Statuses that make an event a dead letter at once. */
    readonly giveUp: readonly number[];
  };
  readonly forward: (Config['posting'] & { readonly url: string }) | null;
  /** The provider's API; null if it is not configured. */
  readonly api: { readonly url: string; readonly key: string } | null;
  /** Whether `serve` compares the provider's records with the newest events; `everyMs` is null where it is off. */
  readonly reconcile: { readonly everyMs: number | null; readonly repairs: boolean };
  readonly ops: {
    readonly host: string;
    readonly port: number;
    readonly token: string | null;
    /** Admits to reading with masked data; only beside `token`. */
    readonly viewToken: string | null;
    /** Single sign-on by a proxy; null when it is off. */
    readonly signOn: SignOnSettings | null;
    /** Whether tokens sign in to the console. */
    readonly tokenSignIn: boolean;
  };
  /** Whether operators may send samples; null when the other settings decide, see `maySendSamples`. */
  readonly samples: boolean | null;
  /** Kinds and wildcards of which an event is expected within a time. */
  readonly expected: readonly Expectation[];
  /** Where messages about problems go; null for nowhere. */
  readonly alert: { readonly url: string; readonly secret: string } | null;
  /** Copies that `serve` makes of an SQLite file; null for none. */
  readonly backup: { readonly folder: string; readonly everyMs: number; readonly keep: number } | null;
  /** A disk with less than this share, or with fewer bytes, free is low. */
  readonly diskLow: { readonly share: number; readonly bytes: number };
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    /** Null for `pretty` on a terminal, else `json`. */
    readonly format: 'json' | 'pretty' | null;
  };
  readonly shutdownGraceMs: number;
  /** Milliseconds without a turn of the event loop after which the watchdog ends the process; 0 for no watchdog. */
  readonly stallTimeoutMs: number;
  /** Allowed settings that deserve attention; logged at start. */
  readonly warnings: readonly string[];
}

/** A source as the process runs it. */
export interface ConfiguredSource extends SourceFields {
  readonly verify: VerifyOptions;
  /** The provider's API behind the source. */
  readonly api?: { readonly url: string; readonly key: string };
}

/**
 * Reads the secrets of a defined source from the environment. Undefined if its verification has problems.
 *
 * @param configured its entry in `PORTARIA_SOURCES`, which replaces what the definition says
 */
export type ReadDefinedSource = (
  source: SourceContract,
  configured: ConfiguredSource | undefined,
  found: Found,
) => ConfiguredSource | undefined;
