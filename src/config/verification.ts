/** Checks how a source is verified, and how strong its secrets are. */
import { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';
import { sourceFields } from '../contract/source-fields.ts';
import { headerName } from './setting-schemas.ts';
import { checkPlainSecret, checkStandardSecret } from './secret-strength.ts';

/** Verification of one source, from the settings or from an entry of `PORTARIA_SOURCES`. */
export interface VerificationSettings {
  readonly verify: 'none' | 'token' | 'hmac' | 'standard';
  readonly secrets: readonly string[];
  readonly header: string | undefined;
  readonly messageIdHeader: string;
  readonly trustMessageId: boolean;
}

/** What `verify` must be. */
export const VERIFY = 'must be one of none, token, hmac, standard';

/** Schema of an entry of `PORTARIA_SOURCES`. */
export const sourceEntry = z.strictObject({
  verify: z.enum(['none', 'token', 'hmac', 'standard'], VERIFY).optional(),
  secrets: z.array(z.string().refine((secret) => secret.trim() !== '', 'must not be blank')).optional(),
  secretsFile: z.string().min(1, 'must name a file').optional(),
  header: headerName.optional(),
  messageIdHeader: headerName.optional(),
  trustMessageId: z.boolean('must be true or false').optional(),
  apiKey: z.string('must be the key of apiUrl').min(1, 'must be the key of apiUrl').optional(),
  apiKeyFile: z.string().min(1, 'must name a file').optional(),
  ...sourceFields,
});

export interface CheckedVerification {
  /** Absent if there are problems. */
  readonly options?: VerifyOptions;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/**
 * Checks that a scheme has the secrets it needs, that they are strong enough, and that their header is not
 * stored as the message id.
 *
 * @param where names of the settings, for problems
 * @param reachable address of the port, if other machines can reach it; else null
 */
export function checkVerification(
  given: VerificationSettings,
  where: Readonly<Record<'verify' | 'secrets' | 'header' | 'messageIdHeader', string>>,
  reachable: string | null,
): CheckedVerification {
  const { verify, secrets } = given;
  if (verify === 'none') return { options: verifyOptions(given), problems: [], warnings: [] };
  if (secrets.length === 0) {
    const message = `${where.verify}=${verify} needs at least one secret; set it here`;
    return { problems: [{ where: where.secrets, message }], warnings: [] };
  }
  const options = { ...verifyOptions(given), secretsFrom: where.secrets };
  const { problems, warnings } = checkSecrets(given, where.secrets, reachable);
  const proof = 'header' in options ? options.header : 'webhook-signature';
  if (options.messageIdHeader === proof) {
    const other = 'header' in options ? where.header : `the header of ${where.verify}=standard`;
    const message = `is also ${other}, which contains the proof of the sender and would be stored; use another header for one of them (both are ${proof})`;
    problems.push({ where: where.messageIdHeader, message });
  }
  return problems.length === 0 ? { options, problems, warnings } : { problems, warnings };
}

function verifyOptions(given: VerificationSettings): VerifyOptions {
  const { verify, secrets, header, messageIdHeader } = given;
  const ids = { messageIdHeader, ...(given.trustMessageId ? { trustMessageId: true } : {}) };
  switch (verify) {
    case 'none':
      return { scheme: 'none', ...ids };
    case 'token':
      return { scheme: 'token', header: header ?? 'x-webhook-token', secrets, ...ids };
    case 'hmac':
      return { scheme: 'hmac', header: header ?? 'x-webhook-signature', secrets, ...ids };
    case 'standard':
      return { scheme: 'standard', secrets, ...ids };
  }
}

/** Checks the strength of each secret. A scheme other than `standard` takes any text as the key. */
export function checkSecrets(
  { verify, secrets }: Pick<VerificationSettings, 'verify' | 'secrets'>,
  where: string,
  reachable: string | null,
): { readonly problems: Problem[]; readonly warnings: readonly string[] } {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const [at, secret] of secrets.entries()) {
    const name = `secret ${String(at + 1)}`;
    const { problem, warning } =
      verify === 'standard' ? checkStandardSecret(secret, reachable) : checkPlainSecret(secret, reachable);
    if (problem !== undefined) problems.push({ where, message: `${name} ${problem}` });
    if (warning !== undefined) warnings.push(`${where}: ${name} ${warning}`);
  }
  return { problems, warnings };
}
