/** What a source says besides how it is verified: ids, answers, paths and the API behind it. */
import { z } from 'zod';
import { jsonOf, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { fields, mustBe } from './check-fields.ts';
import type { UnverifiedRequest } from './source-verification.ts';

/** The answer to a handshake: text, or JSON. */
export interface HandshakeResponse {
  /** Default 200. */
  readonly status?: number;
  readonly body?: string | JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a handshake; nothing when the request is not one. It runs before verification. */
export type Handshake = (
  request: UnverifiedRequest,
) => HandshakeResponse | undefined | Promise<HandshakeResponse | undefined>;

/** The fields of `PORTARIA_SOURCES` and of `defineSource` alike. Only `defineSource` can give functions. */
export interface SourceFields {
  /** Where the sender's own id is: a dotted path of the body, or a header. Default: the header `webhook-id`. */
  readonly messageId?: string | { readonly header: string };
  /** `ignore`: dotted paths of the data that do not make an event another one. */
  readonly compare?: { readonly ignore: readonly string[] };
  /** The answer to what was kept. */
  readonly respond?: { readonly accepted?: number; readonly body?: string | JsonObject };
  /** How the sender asks whether it may send. */
  readonly handshake?: 'slack' | 'meta' | 'microsoft' | Handshake;
  /** Bodies that are answered with success and are no event: a kind, several, or a function. */
  readonly ping?: string | readonly string[] | ((body: JsonValue) => boolean);
  /** Whether GET and HEAD are answered with 200. */
  readonly answersGet?: boolean;
  /** Whether paths below the source's own reach it, too. */
  readonly subpaths?: boolean;
  /** The provider's API behind the source; its key is a secret, and given as secrets are. */
  readonly apiUrl?: string;
  /** Takes every event and flags what verification rejects: until a day, or for ever where only this machine reaches the port. */
  readonly observe?: true | { readonly until: string };
  /** Whether the sender's header `traceparent` is kept with the event and sent on. Needs verification. */
  readonly trace?: boolean;
}

const textOf = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

export const isFunction = (value: unknown): boolean => typeof value === 'function';
/** A dotted path. */
export const isPath = textOf(/^[^.]+(\.[^.]+)*$/);
/** The name of an HTTP header. */
export const isHeader = textOf(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
/** The name of a source: it is in paths, rows and metric labels. */
export const isSourceName = textOf(/^[a-z0-9][a-z0-9-]{0,62}$/);

const headerOf = (value: unknown): unknown => (value as { readonly header?: unknown } | null)?.header;
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const field = <T>(check: (value: unknown) => boolean, expected: string) =>
  z.custom<T>(check, mustBe(expected)).optional();
const flag = z.boolean(mustBe('true or false')).optional();

/** One schema for both places: each spreads it into its own. */
export const sourceFields = {
  messageId: field<SourceFields['messageId']>(
    (value) => isPath(value) || isHeader(headerOf(value)),
    'a dotted path of the body such as "event.id", or { header: "x-event-id" }',
  ),
  compare: fields(
    {
      ignore: z.array(
        z.custom<string>(isPath, mustBe('a dotted path such as "sent_at"')),
        mustBe('a list of paths'),
      ),
    },
    'an object {ignore}',
  ).optional(),
  respond: fields(
    {
      accepted: field<number>(
        (value) => Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 299,
        'a status from 200 to 299',
      ),
      body: field<string | JsonObject>(
        (value) => typeof value === 'string' || (isObject(value) && jsonOf(value) !== undefined),
        'a text, or JSON',
      ),
    },
    'an object {accepted, body}',
  )
    .refine(
      ({ accepted, body }) => !((accepted === 204 || accepted === 205) && body !== undefined && body !== ''),
      {
        path: ['body'],
        error: 'is never sent with status 204 or 205: leave one of them out',
      },
    )
    .optional(),
  handshake: field<SourceFields['handshake']>(
    (value) => isFunction(value) || ['slack', 'meta', 'microsoft'].includes(value as string),
    '"slack", "meta", "microsoft", or a function (only in defineSource)',
  ),
  ping: field<SourceFields['ping']>(
    (value) =>
      isFunction(value) || isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
    'a kind such as "ping", a list of kinds, or a function (only in defineSource)',
  ),
  answersGet: flag,
  subpaths: flag,
  apiUrl: z.string(mustBe('the URL of an API')).optional(),
  observe: field<SourceFields['observe']>(
    (value) => value === true || isDay((value as { readonly until?: unknown } | null)?.until),
    'true, or { until: "2026-12-31" }',
  ),
  trace: flag,
};

/** Whether a value is a day such as `2026-12-31`. */
export function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const at = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}
