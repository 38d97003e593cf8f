/** The schemas that settings share. Each message says what a value must be, so that it follows the name. */
import { z } from 'zod';
import { BLOCKED_PORT, blockedPorts, hasBlockedPort } from '../kernel/http/blocked-ports.ts';
import { isDay, isHeader } from '../contract/source-fields.ts';
import { DAY_MS, MINUTE_MS, parsePeriod } from '../kernel/time/durations.ts';
import { isProofName, PROOF_NAMES } from '../verify/read-proof.ts';
import { splitSecrets } from './text-file.ts';

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${String(min)} to ${String(max)}`)
    .transform(Number)
    .refine(
      (value) => value >= min && value <= max,
      `must be a whole number from ${String(min)} to ${String(max)}`,
    );

export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/** How a source is verified: a name, or the JSON of an object, whose fields are checked with the secrets. */
export const proof = z.string().transform((value, context): unknown => {
  const isJson = value.startsWith('{');
  try {
    if (isJson) return JSON.parse(value);
    if (isProofName(value)) return value;
  } catch {
    // The message of JSON.parse says less than this one.
  }
  const message = isJson
    ? 'must be a JSON object such as {"scheme":"hmac","header":"x-signature"}'
    : `must be one of ${PROOF_NAMES}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

export const trueOrFalse = oneOf(['true', 'false']).transform((value) => value === 'true');

export const port = wholeNumber(0, 65_535).refine((value) => !blockedPorts.has(value), BLOCKED_PORT);

/** Whether to observe a source, and through which day. */
export const observation = z
  .string()
  .refine(
    (value) => value === 'true' || value === 'false' || isDay(value),
    'must be a last day such as 2026-12-31, true, or false',
  )
  .transform((value): true | { readonly until: string } | undefined =>
    value === 'false' ? undefined : value === 'true' ? true : { until: value },
  );

/** The name of a header, in lower case. */
export const headerName = z
  .string()
  .refine(isHeader, 'must be the name of an HTTP header')
  .transform((name) => name.toLowerCase());

export const httpUrl = z
  .string()
  .refine(
    (url) => /^https?:\/\//.test(url) && URL.canParse(url),
    'must be a URL that starts with http:// or https://',
  )
  .refine((url) => !hasBlockedPort(url), BLOCKED_PORT);

/** The base of an API, to which paths are appended. */
export const apiUrl = httpUrl
  .refine((url) => {
    if (!URL.canParse(url)) return true;
    const { username, password, search, hash } = new URL(url);
    return [username, password, search, hash].every((part) => part === '');
  }, 'must not contain a user name, password, query or fragment')
  .refine((url) => !/\/v1\/?$/.test(url), 'must not end with /v1, which the client appends');

/** A URL that `fetch` can post to: it rejects one with a user name or password. */
export const postUrl = httpUrl.refine((url) => {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}, 'must not contain a user name or password; the receiver verifies the signature instead');

/** A share of a disk and its bytes, as `10%,1GiB`. */
export const diskRoom = z
  .string()
  .regex(/^\d{1,2}%,\d{1,6}[MG]iB$/, 'must be a percentage and a size, such as 10%,1GiB; 0%,0MiB for never')
  .transform((value) => {
    const [share = 0, size = 0] = (value.match(/\d+/g) ?? []).map(Number);
    return { share: share / 100, bytes: size * 2 ** (value.endsWith('GiB') ? 30 : 20) };
  });

/** How long content is kept, in milliseconds; null for ever. */
export const keptFor = z.string().transform((value, context) => {
  if (value === 'forever') return null;
  const ms = parsePeriod(value) ?? 0;
  if (ms > 0) return ms;
  context.addIssue({ code: 'custom', message: 'must be a period such as 12h, 180d or 26w, or forever' });
  return z.NEVER;
});

/** A period of at least a minute, in milliseconds. */
const period = (days: number) =>
  z.string().transform((value, context) => {
    const ms = parsePeriod(value) ?? 0;
    if (ms >= MINUTE_MS && ms <= days * DAY_MS) return ms;
    const message = `must be a period from 1m to ${String(days)}d, such as 30m or 6h`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

export const reconcileEvery = period(1);
export const backupEvery = period(30);

/** Secrets: separated by commas in a variable. A file has one on each line, where a comma is part of it. */
export const secretList = z.union([
  z.array(z.string()),
  z.string().transform((list) => splitSecrets(list, ',')),
]);

export const errorStatuses = z
  .string()
  .refine(
    (list) => list === 'none' || /^[45]\d\d(\s*,\s*[45]\d\d)*$/.test(list),
    'must be none, or HTTP statuses from 400 to 599, separated by commas',
  )
  .transform((list) => (list === 'none' ? [] : list.split(',').map(Number)));
