/** Checks how a source is verified, and how strong its secrets are. */
import { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';
import { presetNames } from '../contract/source-verification.ts';
import { proofHeader } from '../verify/headers.ts';
import { presets } from '../verify/presets.ts';
import { coversBody, PROOF_NAMES, readProof } from '../verify/read-proof.ts';
import { nameOfProof, type Proof, type VerifyOptions } from '../verify/verify-options.ts';
import { sourceFields } from '../contract/source-fields.ts';
import { headerName } from './setting-schemas.ts';
import { checkSecretOf } from './secret-strength.ts';

/** Verification of one source, from the settings or from an entry of `PORTARIA_SOURCES`. */
export interface VerificationSettings {
  /** What `readProof` takes. */
  readonly verify: unknown;
  readonly secrets: readonly string[];
  /** The header of a proof that is given by its name alone. */
  readonly header?: string | undefined;
  /** Its own; undefined leaves it to the proof, or to the usual one. */
  readonly messageIdHeader: string | undefined;
  readonly usualMessageIdHeader: string;
  readonly trustMessageId: boolean;
}

/** What `verify` must be. */
export const VERIFY = `must be one of ${PROOF_NAMES}, or an object with scheme`;

/** Schema of an entry of `PORTARIA_SOURCES`. */
export const sourceEntry = z.strictObject({
  /** Checked by `checkVerification`. */
  verify: z.unknown().optional(),
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
 * Checks a proof, that it has the secrets it needs, that they are strong enough, and that their header is not
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
  const { secrets, header } = given;
  const { proof, mistakes } = readProof(withHeader(given.verify, header));
  if (proof === undefined) {
    const problems = mistakes.map(({ path, message }) => ({
      where: [where.verify, ...path].join('.'),
      message,
    }));
    return { problems, warnings: [] };
  }
  const idHeader = proof.scheme === 'signed' ? proof.idHeader : undefined;
  const ids = {
    messageIdHeader: given.messageIdHeader ?? idHeader ?? given.usualMessageIdHeader,
    ...(given.trustMessageId ? { trustMessageId: true } : {}),
  };
  if (proof.scheme === 'none') return { options: { ...proof, ...ids }, problems: [], warnings: [] };
  const name = nameOfProof(proof);
  if (secrets.length === 0 && proof.scheme !== 'function') {
    const message = `${where.verify}=${name} needs at least one secret; set it here`;
    return { problems: [{ where: where.secrets, message }], warnings: [] };
  }
  const { problems, warnings } = checkSecrets(proof, secrets, where.secrets, reachable);
  if (typeof given.verify === 'object' && header !== undefined)
    problems.push({ where: where.header, message: `belongs into ${where.verify}, which is an object` });
  const proven = proofHeader(proof);
  if (ids.messageIdHeader === proven) {
    const other = 'header' in proof ? where.header : `the header of ${where.verify}=${name}`;
    const message = `is also ${other}, which contains the proof of the sender and would be stored; use another header for one of them (both are ${proven})`;
    problems.push({ where: where.messageIdHeader, message });
  }
  const open = proof.preset && presets[proof.preset].bodyNotSigned;
  const body =
    open === undefined || coversBody(proof)
      ? []
      : [
          `${where.verify}: ${open}, so whoever has seen a webhook can send another body with its proof; let handlers ask ${name} for what they act on`,
        ];
  if (problems.length > 0) return { problems, warnings };
  const options: VerifyOptions = { ...proof, ...ids, secrets, secretsFrom: where.secrets };
  return { options, problems, warnings: [...warnings, ...body] };
}

/** Schemes and senders whose header may be another one. */
const WITH_HEADER = new Set<unknown>(['token', 'hmac', 'jwt', ...presetNames]);

function withHeader(verify: unknown, header: string | undefined): unknown {
  return header !== undefined && WITH_HEADER.has(verify) ? { scheme: verify, header } : verify;
}

/** Checks each secret. */
export function checkSecrets(
  proof: Proof,
  secrets: readonly string[],
  where: string,
  reachable: string | null,
): { readonly problems: Problem[]; readonly warnings: readonly string[] } {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const [at, secret] of secrets.entries()) {
    const name = `secret ${String(at + 1)}`;
    const { problem, warning } = checkSecretOf(proof, secret, reachable);
    if (problem !== undefined) problems.push({ where, message: `${name} ${problem}` });
    if (warning !== undefined) warnings.push(`${where}: ${name} ${warning}`);
  }
  return { problems, warnings };
}
