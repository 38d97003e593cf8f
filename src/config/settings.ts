/** Every environment variable of the receiver: its schema, default and description. */
import { z } from 'zod';
import { database, postgresDatabase } from './database-address.ts';
import {
  apiUrl,
  backupEvery,
  diskRoom,
  errorStatuses,
  headerName,
  httpUrl,
  keptFor,
  observation,
  oneOf,
  port,
  postUrl,
  proof,
  reconcileEvery,
  secretList,
  trueOrFalse,
  wholeNumber,
} from './setting-schemas.ts';

/** One environment variable: how it is parsed, and how errors and the documentation show it. */
interface Setting<S extends z.ZodType, F extends string | null> {
  readonly schema: S;
  /** The default, as it would be written; null if there is none. */
  readonly fallback: F;
  readonly description: string;
  /** Errors never quote it. The setting `<name>_FILE`, if there is one, names a file with the value. */
  readonly secret?: true;
  /** Errors quote it without user info, query and fragment, which may contain credentials. */
  readonly address?: true;
  /** Several values, separated by commas, or by line breaks in a file. */
  readonly isList?: true;
}

function setting<S extends z.ZodType, F extends string | null>(
  schema: S,
  fallback: F,
  description: string,
  options: Pick<Setting<S, F>, 'secret' | 'address' | 'isList'> = {},
): Setting<S, F> {
  return { schema, fallback, description, ...options };
}

/** All settings, in the order of the documentation. */
export const settings = {
  PORTARIA_HOST: setting(z.string(), '127.0.0.1', 'Address of the public port.'),
  PORTARIA_PORT: setting(port, '8080', 'Public port, for `POST /webhooks`. 0 takes any free port.'),
  PORTARIA_DATABASE: setting(
    database,
    './data/portaria.db',
    'Path of the SQLite file, whose folder is created if missing; or the address of a PostgreSQL database (`postgres://user:password@host:port/database?sslmode=verify-full`), which several processes may share.',
    // A mistyped address may have its password anywhere.
    { secret: true },
  ),
  PORTARIA_DATABASE_FILE: setting(
    z.string(),
    null,
    'File with the address of the PostgreSQL database, instead of `PORTARIA_DATABASE`.',
  ),
  PORTARIA_DATABASE_DIRECT: setting(
    postgresDatabase,
    null,
    'The address of the same PostgreSQL database without a pooler in transaction mode, for migrations and notifications.',
    { secret: true },
  ),
  PORTARIA_DATABASE_DIRECT_FILE: setting(
    z.string(),
    null,
    'File with that address, instead of `PORTARIA_DATABASE_DIRECT`.',
  ),
  PORTARIA_VERIFY: setting(
    proof,
    null,
    'How senders are verified: a scheme (`token`, `hmac`, `standard`, `signed`, `basic`, `jwt`), a known sender such as `stripe`, JSON with `scheme` and its fields, or `none`, see docs/senders.md. Only on a loopback address it may be unset, which means `none`.',
  ),
  PORTARIA_SECRETS: setting(
    secretList,
    null,
    'Secrets or public keys of the scheme, separated by commas. Secrets have at least 16 bytes each. Any of them is valid, so that they can be rotated.',
    { secret: true, isList: true },
  ),
  PORTARIA_SECRETS_FILE: setting(
    z.string(),
    null,
    'File with the secrets of the scheme, one per line, instead of `PORTARIA_SECRETS`.',
  ),
  PORTARIA_VERIFY_HEADER: setting(
    headerName,
    null,
    'Header with the proof, for `token` (default `x-webhook-token`), `hmac` (default `x-webhook-signature`) and others that read one.',
  ),
  PORTARIA_MESSAGE_ID_HEADER: setting(
    headerName,
    'webhook-id',
    "Header with the sender's message id, see docs/receiving.md.",
  ),
  PORTARIA_TRUST_MESSAGE_ID: setting(
    trueOrFalse,
    'false',
    'Whether to trust message ids that no signature covers. Anybody who can send or replay a webhook can then make an event look like a repeat, or a repeat like an event.',
  ),
  PORTARIA_VERIFY_OBSERVE: setting(
    observation,
    null,
    'Takes what verification rejects, flagged `unverified`, through a last day such as `2026-12-31` (UTC); `true` where no other machine reaches the port. See docs/senders.md.',
  ),
  PORTARIA_SOURCES: setting(
    z.string(),
    null,
    'Additional sources at `/webhooks/<source>`, as JSON or the path of a JSON file: `{"name":{"verify":"hmac","secrets":["…"],"header":"…","messageIdHeader":"…","trustMessageId":false}}`. `verify` takes what `PORTARIA_VERIFY` takes. `"secretsFile":"…"` names a file instead of `secrets`.',
    { secret: true },
  ),
  PORTARIA_MAX_BODY: setting(
    wholeNumber(1, 1_073_741_824),
    '1048576',
    'Maximum size of a body, in bytes. A larger one gets 413.',
  ),
  PORTARIA_BODY_TIMEOUT_MS: setting(
    wholeNumber(1, 600_000),
    '10000',
    'Milliseconds for a body to arrive. A slower one gets 408.',
  ),
  PORTARIA_ON_INVALID: setting(
    oneOf(['reject', 'accept']),
    'reject',
    'Response to a body that does not match its schema: 422 (`reject`), or 202 (`accept`) for senders that give up on errors. The body goes to quarantine either way.',
  ),
  PORTARIA_ON_UNKNOWN_VALUE: setting(
    oneOf(['accept', 'quarantine']),
    'accept',
    'What becomes of a value that an enumeration of the contract does not list: the event has the flag `unknown-value` (`accept`), or its body goes to quarantine (`quarantine`), where `PORTARIA_ON_INVALID` decides the response.',
  ),
  PORTARIA_MAX_QUARANTINE_BYTES: setting(
    wholeNumber(1_048_576, 1_099_511_627_776),
    '1073741824',
    'Maximum size of all unreleased entries of the quarantine, in bytes. When it is full, the oldest are dropped, see docs/limits.md.',
  ),
  PORTARIA_BACKUP_DIR: setting(
    z.string(),
    null,
    'Folder in which `serve` makes checked copies of the SQLite file by itself. Choose one on another disk.',
  ),
  PORTARIA_BACKUP_EVERY: setting(
    backupEvery,
    '1d',
    'How often it makes one, such as `6h` or `1d`. None for twice as long is the problem `backup-late`.',
  ),
  PORTARIA_BACKUP_KEEP: setting(wholeNumber(1, 1_000), '7', 'How many of these copies are kept: the newest.'),
  PORTARIA_KEEP_EVENTS: setting(
    keptFor,
    'forever',
    'How long bodies and headers of events are kept, such as `12h`, `180d` or `26w`. Older ones are removed while `serve` runs; what still waits stays, see docs/operations.md.',
  ),
  PORTARIA_KEEP_QUARANTINE: setting(
    keptFor,
    'forever',
    'How long entries of the quarantine are kept after their bytes came last, released or not.',
  ),
  PORTARIA_KEEP_DELIVERIES: setting(
    keptFor,
    'forever',
    'How long errors and changes of finished deliveries are kept. Older dead letters are discarded, and older jobs removed.',
  ),
  PORTARIA_KEEP_AUDIT: setting(
    keptFor,
    'forever',
    'How long the audit keeps what operators did. The removal is an entry of its own.',
  ),
  PORTARIA_HANDLERS: setting(
    z.string(),
    null,
    'Folder of handlers (`.ts`, `.js`, `.mjs`). Default: the shipped handlers.',
  ),
  PORTARIA_HANDLERS_TIMEOUT_MS: setting(
    wholeNumber(1, 3_600_000),
    '10000',
    'Maximum time to import one file of handlers, in milliseconds. Then the start fails and names the file.',
  ),
  PORTARIA_CONCURRENCY: setting(
    wholeNumber(1, 10_000),
    '16',
    'Maximum number of handlers that run at the same time.',
  ),
  PORTARIA_FORWARD_URL: setting(
    httpUrl,
    null,
    'URL to which the shipped `forward` handler sends every event.',
    {
      address: true,
    },
  ),
  PORTARIA_FORWARD_SECRET: setting(
    z.string(),
    null,
    'Secret that signs forwarded events by Standard Webhooks (`whsec_…`).',
    { secret: true },
  ),
  PORTARIA_FORWARD_SECRET_FILE: setting(
    z.string(),
    null,
    'File with that secret, instead of `PORTARIA_FORWARD_SECRET`.',
  ),
  PORTARIA_FORWARD_TIMEOUT_MS: setting(
    wholeNumber(1, 600_000),
    '10000',
    'Milliseconds for the forward target to respond.',
  ),
  PORTARIA_FORWARD_GIVE_UP: setting(
    errorStatuses,
    '400,409,413,415,422',
    'Statuses by which the forward target rejects this one event: it becomes a dead letter at once. All other errors are retried. `none` retries them all.',
  ),
  PORTARIA_API_URL: setting(
    apiUrl,
    null,
    "Base URL of the provider's API, without `/v1`. With the key, it gives handlers an API client as `ctx.client`, and lets Portaria resolve ambiguous events.",
    { address: true },
  ),
  PORTARIA_API_KEY: setting(
    z.string().regex(/^[!-~]+$/, 'must be printable ASCII without spaces'),
    null,
    "The organization's key for the provider's API.",
    { secret: true },
  ),
  PORTARIA_API_KEY_FILE: setting(z.string(), null, 'File with that key, instead of `PORTARIA_API_KEY`.'),
  PORTARIA_RECONCILE: setting(
    oneOf(['off', 'report', 'repair']),
    'off',
    "Whether `serve` compares the provider's records with the newest events by itself, and reports what differs (`report`) or also repairs it (`repair`). It needs the API of a source.",
  ),
  PORTARIA_RECONCILE_EVERY: setting(
    reconcileEvery,
    '1h',
    'How often it compares, such as `30m` or `6h`: a day at most.',
  ),
  PORTARIA_OPS_HOST: setting(
    z.string(),
    '127.0.0.1',
    'Address of the private port. Any but a loopback address requires a token.',
  ),
  PORTARIA_OPS_PORT: setting(
    port,
    '9090',
    'Private port, for health, metrics and the JSON API. 0 takes any free port.',
  ),
  PORTARIA_OPS_TOKEN: setting(z.string(), null, 'Bearer token of the private port.', { secret: true }),
  PORTARIA_OPS_TOKEN_FILE: setting(
    z.string(),
    null,
    'File with that token, instead of `PORTARIA_OPS_TOKEN`.',
  ),
  PORTARIA_OPS_VIEW_TOKEN: setting(
    z.string(),
    null,
    'Second token, for reading the console with masked personal data.',
    { secret: true },
  ),
  PORTARIA_OPS_VIEW_TOKEN_FILE: setting(
    z.string(),
    null,
    'File with that token, instead of `PORTARIA_OPS_VIEW_TOKEN`.',
  ),
  PORTARIA_OPS_USER_HEADER: setting(
    headerName,
    null,
    'Single sign-on: the header in which a proxy names the person, such as `x-forwarded-user`. It counts only from `PORTARIA_OPS_PROXIES`, see docs/single-sign-on.md.',
  ),
  PORTARIA_OPS_PROXIES: setting(
    z.string(),
    null,
    'Addresses and networks of the proxies that may name people, separated by commas: `127.0.0.1,10.0.0.0/24`.',
  ),
  PORTARIA_OPS_USERS: setting(
    z.string(),
    null,
    'What people whom a proxy names may do, as `ana:operate,unmask;*:view`. Roles are `view`, `operate` and `unmask`; `*` is everybody else. Default: `*:view`.',
  ),
  PORTARIA_OPS_TOKEN_SIGN_IN: setting(
    trueOrFalse,
    'true',
    'Whether a token signs in to the console, too, beside single sign-on. The operators’ API accepts tokens either way.',
  ),
  PORTARIA_SAMPLES: setting(
    trueOrFalse,
    null,
    'Whether operators may send samples of events from the console into this store. Default: only while both ports listen on loopback addresses, the private port has no token, and no source is verified.',
  ),
  PORTARIA_EXPECT: setting(
    z.string(),
    null,
    'Events that are expected at least so often, as `kind=duration`: `charge.created=1d,company.*=6h`. `doctor`, metrics and alerts show when none arrives in time, see docs/monitoring.md.',
  ),
  PORTARIA_ALERT_URL: setting(
    postUrl,
    null,
    'URL that gets a message when a problem begins and when it ends, see docs/monitoring.md.',
    { address: true },
  ),
  PORTARIA_ALERT_SECRET: setting(
    z.string(),
    null,
    'Secret that signs these messages by Standard Webhooks (`whsec_…`).',
    { secret: true },
  ),
  PORTARIA_ALERT_SECRET_FILE: setting(
    z.string(),
    null,
    'File with that secret, instead of `PORTARIA_ALERT_SECRET`.',
  ),
  PORTARIA_DISK_LOW: setting(
    diskRoom,
    '10%,1GiB',
    'Free room from which the disk of an SQLite file is low: below this share or this size, in MiB or GiB. `doctor`, metrics and alerts show it, see docs/monitoring.md. `0%,0MiB` for never.',
  ),
  PORTARIA_LOG_LEVEL: setting(
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'Minimum level of log lines.',
  ),
  PORTARIA_LOG_FORMAT: setting(
    oneOf(['json', 'pretty']),
    null,
    'Format of log lines. Default: `pretty` on a terminal, else `json`.',
  ),
  PORTARIA_SHUTDOWN_GRACE_MS: setting(
    wholeNumber(0, 600_000),
    '10000',
    'Milliseconds for running handlers to finish after SIGTERM, before their deliveries are released.',
  ),
  PORTARIA_STALL_TIMEOUT_MS: setting(
    wholeNumber(0, 3_600_000).refine((ms) => ms === 0 || ms >= 1_000, 'must be 0, or at least 1000'),
    '30000',
    'Milliseconds for which a handler may block the event loop before the watchdog ends the process with exit code 70, see docs/operations.md. 0 for no watchdog.',
  ),
} as const;

export type SettingName = keyof typeof settings;

/** The parsed value of a setting; undefined if it is unset and has no default. */
export type SettingValue<N extends SettingName> =
  | z.output<(typeof settings)[N]['schema']>
  | ((typeof settings)[N]['fallback'] extends null ? undefined : never);
