/** Checks how a source is verified, and how strong its secrets are. */
import { z } from 'zod';
import { presetNames } from '../contract/source-verification.ts';
import { proofHeader } from '../verify/headers.ts';
import { presets } from '../verify/presets.ts';
import { isBodyOpen, PROOF_NAMES, readProof, type ReadProof } from '../verify/read-proof.ts';
import { nameOfProof, type Proof, type VerifyOptions } from '../verify/verify-options.ts';
import { sourceFields, type SourceFields } from '../contract/source-fields.ts';
import type { Found } from './found-mistakes.ts';
import { headerName } from './setting-schemas.ts';
import { checkSecretOf } from './secret-strength.ts';

/** A value or several, and the field or variable that has them. */
export interface Given {
  /** Undefined when they cannot be read, which is already a problem. */
  readonly values: readonly string[] | undefined;
  readonly where: string;
}

/** A source as the settings, an entry of `PORTARIA_SOURCES` or `defineSource` describe it. */
export interface GivenSource {
  readonly isDefault: boolean;
  /** What `readProof` takes; undefined when it is already a problem. */
  readonly verify: unknown;
  readonly secrets: Given;
  /** The key of `apiUrl`. */
  readonly key: Given;
  /** The header of a proof that is given by its name alone. */
  readonly header?: string | undefined;
  /** Its own; undefined leaves it to the proof, or to the usual one. */
  readonly messageIdHeader?: string | undefined;
  readonly trustMessageId?: boolean | undefined;
  readonly fields: SourceFields;
  /** The place of a field, for problems. */
  readonly at: (field: string) => string;
}

/** What applies to every source. */
export interface SourceDefaults {
  readonly messageIdHeader: string;
  /** Address of the port, if other machines can reach it; else null. */
  readonly reachable: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
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
  apiKey: z
    .string('must be the key of apiUrl')
    .min(1, 'must be the key of apiUrl')
    .transform((key) => [key])
    .optional(),
  apiKeyFile: z.string().min(1, 'must name a file').optional(),
  ...sourceFields,
});

/**
 * Checks a proof, that it has the secrets it needs, that they are strong enough, and that their header is not
 * stored as the message id. Undefined if there are problems.
 */
export function checkVerification(
  { verify, secrets: given, header, at, ...source }: GivenSource,
  { messageIdHeader: usual, reachable }: SourceDefaults,
  found: Found,
): VerifyOptions | undefined {
  const before = found.problems.length;
  const report = (where: string, message: string): void => void found.problems.push({ where, message });
  const { proof, mistakes = [] }: ReadProof =
    verify === undefined ? { mistakes: [] } : readProof(withHeader(verify, header));
  for (const { path, message } of mistakes) report([at('verify'), ...path].join('.'), message);
  const { values: secrets = [], where } = given;
  // An unknown proof must not hide a weak secret.
  if (proof?.scheme !== 'none') checkSecrets(proof ?? { scheme: 'token' }, given, reachable, found);
  if (proof === undefined || given.values === undefined) return undefined;
  const { messageId } = source.fields;
  const own = typeof messageId === 'object' ? messageId.header.toLowerCase() : source.messageIdHeader;
  const ids = {
    messageIdHeader: own ?? (proof.scheme === 'signed' ? proof.idHeader : undefined) ?? usual,
    ...(source.trustMessageId === true && { trustMessageId: true }),
  };
  if (proof.scheme === 'none') return { ...proof, ...ids };
  const name = nameOfProof(proof);
  if (secrets.length === 0 && proof.scheme !== 'function')
    report(where, `${at('verify')}=${name} needs at least one secret; set it here`);
  if (typeof verify === 'object' && header !== undefined)
    report(at('header'), `belongs into ${at('verify')}, which is an object`);
  const proven = proofHeader(proof);
  if (ids.messageIdHeader === proven) {
    const other = 'header' in proof ? at('header') : `the header of ${at('verify')}=${name}`;
    report(
      at(typeof messageId === 'object' ? 'messageId' : 'messageIdHeader'),
      `is also ${other}, which contains the proof of the sender and would be stored; use another header for one of them (both are ${proven})`,
    );
  }
  const open = proof.preset && presets[proof.preset].bodyNotSigned;
  if (open !== undefined && isBodyOpen(proof))
    found.warnings.push(
      `${at('verify')}: ${open}, so whoever has seen a webhook can send another body with its proof; let handlers ask ${name} for what they act on`,
    );
  return found.problems.length > before ? undefined : { ...proof, ...ids, secrets, secretsFrom: where };
}

/** Schemes and senders whose header may be another one. */
const WITH_HEADER = new Set<unknown>(['token', 'hmac', 'jwt', ...presetNames]);

function withHeader(verify: unknown, header: string | undefined): unknown {
  return header !== undefined && WITH_HEADER.has(verify) ? { scheme: verify, header } : verify;
}

function checkSecrets(
  proof: Proof,
  { values = [], where }: Given,
  reachable: string | null,
  { problems, warnings }: Found,
): void {
  for (const [at, secret] of values.entries()) {
    const name = `secret ${String(at + 1)}`;
    const { problem, warning } = checkSecretOf(proof, secret, reachable);
    if (problem !== undefined) problems.push({ where, message: `${name} ${problem}` });
    if (warning !== undefined) warnings.push(`${where}: ${name} ${warning}`);
  }
}
