/** The fields of the schemes: their checks, from which the types follow. */
import { z } from 'zod';
import { algorithms, encodings } from '../contract/source-verification.ts';
import { parseDuration } from '../kernel/time/durations.ts';

/** Clocks differ by less, and a token that has expired must not live on. */
const JWT_TOLERANCE_SECONDS = 60;

const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);
const header = z
  .string('must be the name of an HTTP header')
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header')
  .transform((name) => name.toLowerCase());
const text = z.string('must be a text').min(1, 'must not be empty');
const inHeader = z.strictObject({ header }, 'must be {"header":"…"}').transform((given) => given.header);
const tolerance = z.unknown().transform((given, context) => {
  const isSeconds = typeof given === 'number' || (typeof given === 'string' && /^\d+$/.test(given));
  const seconds = isSeconds ? Number(given) : (parseDuration(String(given)) ?? 0) / 1000;
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  context.addIssue({ code: 'custom', message: 'must be a duration such as 5m or 300s' });
  return z.NEVER;
});

/** The fields of each scheme, as a description has them. */
export const proofFields = {
  none: z.strictObject({}),
  token: z
    .strictObject({ header: header.optional(), query: text.optional() })
    .refine(({ header: name, query }) => name === undefined || query === undefined, {
      path: ['query'],
      error: 'and header are both set; keep the one that the sender sends',
    }),
  hmac: z.strictObject({ header: header.default('x-webhook-signature') }),
  standard: z.strictObject({ tolerance: tolerance.optional() }),
  signed: z.strictObject({
    header,
    reads: text.default('{signature}'),
    signs: text,
    algorithm: oneOf(algorithms),
    encoding: oneOf(encodings).default('hex'),
    key: oneOf(['text', 'base64', 'hex']).default('text'),
    timestamp: inHeader.optional(),
    id: inHeader.optional(),
    tolerance: tolerance.optional(),
  }),
  basic: z.strictObject({}),
  jwt: z.strictObject({
    header: header.default('authorization'),
    tolerance: tolerance.default(JWT_TOLERANCE_SECONDS),
    iss: text.optional(),
    aud: text.optional(),
    bodyHash: z
      .strictObject({
        claim: text,
        algorithm: oneOf(['sha256', 'sha512']).default('sha256'),
        encoding: oneOf(encodings).default('hex'),
      })
      .optional(),
  }),
};

/** What the fields are read to. Names of headers are in lower case, tolerances in seconds. */
export type ProofFields = {
  readonly [Name in keyof typeof proofFields]: Readonly<z.output<(typeof proofFields)[Name]>>;
};
