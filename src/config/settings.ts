import { z } from 'zod';

/** One environment variable. Everything about it derives from here: parsing, errors, README's table. */
interface Setting<S extends z.ZodType, F extends string | null> {
  readonly schema: S;
  /** As one would write it; null when unset means something of its own. */
  readonly fallback: F;
  readonly description: string;
  /** Never echoed in an error. One may also come from a file: the setting `<name>_FILE`. */
  readonly secret?: true;
  /** An error echoes it without user info, query and fragment, which may hold credentials. */
  readonly address?: true;
  /** Several values, separated by commas or, in a file, by lines. */
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

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${String(least)} to ${String(most)}`)
    .transform(Number)
    .refine(
      (value) => value >= least && value <= most,
      `must be a whole number from ${String(least)} to ${String(most)}`,
    );

const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

const port = wholeNumber(0, 65_535);
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header')
  .transform((name) => name.toLowerCase());
const httpUrl = z
  .string()
  .refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text),
    'must be an address that starts with http:// or https://',
  );
const apiUrl = httpUrl.refine((text) => {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}, 'must hold no user name, password, query or fragment');
const secretList = z.string().transform((text) =>
  text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== ''),
);

/** Every setting, in the order README lists them. */
export const settings = {
  PORTARIA_HOST: setting(z.string(), '127.0.0.1', 'Address the public port listens on.'),
  PORTARIA_PORT: setting(port, '8080', 'Public port: `POST /webhooks`. 0 takes any free one.'),
  PORTARIA_DATABASE: setting(
    z.string(),
    './data/portaria.db',
    'The SQLite file. Its folder is made when missing.',
  ),
  PORTARIA_VERIFY: setting(
    oneOf(['none', 'token', 'hmac', 'standard']),
    null,
    'How senders are verified. Unset means `none`, which only loopback accepts unwritten.',
  ),
  PORTARIA_SECRETS: setting(
    secretList,
    null,
    'Secrets of the scheme, comma-separated: any of them fits, so that old and new overlap. Each has at least 16 bytes.',
    { secret: true, isList: true },
  ),
  PORTARIA_SECRETS_FILE: setting(
    z.string(),
    null,
    'File with the secrets of the scheme, one a line, instead of `PORTARIA_SECRETS`.',
  ),
  PORTARIA_VERIFY_HEADER: setting(
    headerName,
    null,
    'Header that carries the token (default `x-webhook-token`) or the HMAC (default `x-webhook-signature`).',
  ),
  PORTARIA_MESSAGE_ID_HEADER: setting(
    headerName,
    'webhook-id',
    "Header with the sender's own message id: tells a late repeat from a real return, where it can be trusted.",
  ),
  PORTARIA_TRUST_MESSAGE_ID: setting(
    oneOf(['true', 'false']).transform((text) => text === 'true'),
    'false',
    'Trusts message ids that no signature covers (`none`, `token`, `hmac`). Whoever can send, or repeat what was sent, can then have an event taken for a repeat, or a repeat for an event. Ids that `standard` signs are trusted anyway.',
  ),
  PORTARIA_SOURCES: setting(
    z.string(),
    null,
    'Further senders at `/webhooks/<source>`: JSON, or a file of it: `{"name":{"verify":"hmac","secrets":["…"],"header":"…","messageIdHeader":"…","trustMessageId":false}}`; all but `verify` and `secrets` may be left out. `"secretsFile":"…"` names a file instead of `secrets`.',
    { secret: true },
  ),
  PORTARIA_MAX_BODY: setting(
    wholeNumber(1, 1_073_741_824),
    '1048576',
    'Largest body in bytes; more answers 413.',
  ),
  PORTARIA_BODY_TIMEOUT_MS: setting(
    wholeNumber(1, 600_000),
    '10000',
    'Milliseconds a body may take to arrive; more answers 408.',
  ),
  PORTARIA_ON_INVALID: setting(
    oneOf(['reject', 'accept']),
    'reject',
    'What a body that does not fit its schema answers: 422, or 202 for senders that give up on errors. It is kept in quarantine either way.',
  ),
  PORTARIA_MAX_QUARANTINE_BYTES: setting(
    wholeNumber(1_048_576, 1_099_511_627_776),
    '1073741824',
    'Bytes that quarantined deliveries may take until they are released; beyond it the oldest are dropped, see docs/limits.md.',
  ),
  PORTARIA_HANDLERS: setting(
    z.string(),
    null,
    'Folder of handlers (`.ts`, `.js`, `.mjs`). Unset means the shipped ones.',
  ),
  PORTARIA_CONCURRENCY: setting(wholeNumber(1, 10_000), '16', 'Handlers that run at a time.'),
  PORTARIA_FORWARD_URL: setting(httpUrl, null, 'Where the shipped `forward` handler sends every event.', {
    address: true,
  }),
  PORTARIA_FORWARD_SECRET: setting(
    z.string(),
    null,
    'Signs what is forwarded by Standard Webhooks (`whsec_…`).',
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
    'Milliseconds the forward target has to answer.',
  ),
  PORTARIA_API_URL: setting(
    apiUrl,
    null,
    "The provider's base address, without `/v1`. With it and the key handlers get a client of its API as `ctx.client`, and ambiguous events are settled by asking.",
    { address: true },
  ),
  PORTARIA_API_KEY: setting(
    z.string().regex(/^[!-~]+$/, 'must be printable ASCII without spaces'),
    null,
    "The organization's key of the provider's API.",
    { secret: true },
  ),
  PORTARIA_API_KEY_FILE: setting(z.string(), null, 'File with that key, instead of `PORTARIA_API_KEY`.'),
  PORTARIA_OPS_HOST: setting(
    z.string(),
    '127.0.0.1',
    'Address the private port listens on. Any other than loopback needs a token.',
  ),
  PORTARIA_OPS_PORT: setting(port, '9090', 'Private port: health, metrics, JSON API. 0 takes any free one.'),
  PORTARIA_OPS_TOKEN: setting(z.string(), null, 'Bearer token of the private port.', { secret: true }),
  PORTARIA_OPS_TOKEN_FILE: setting(
    z.string(),
    null,
    'File with that token, instead of `PORTARIA_OPS_TOKEN`.',
  ),
  PORTARIA_LOG_LEVEL: setting(
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'Least severe log line written.',
  ),
  PORTARIA_LOG_FORMAT: setting(
    oneOf(['json', 'pretty']),
    null,
    'Log lines for machines or for people. Unset means `pretty` on a terminal.',
  ),
  PORTARIA_SHUTDOWN_GRACE_MS: setting(
    wholeNumber(0, 600_000),
    '10000',
    'Milliseconds running handlers get to finish after SIGTERM before they are handed back.',
  ),
} as const;

export type SettingName = keyof typeof settings;

/** The value of a setting once read; undefined where it has no default and is unset. */
export type SettingValue<N extends SettingName> =
  | z.output<(typeof settings)[N]['schema']>
  | ((typeof settings)[N]['fallback'] extends null ? undefined : never);
