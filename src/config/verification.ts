import { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';

/** How a source is verified, as the settings or an entry of `PORTARIA_SOURCES` say it. */
export interface VerificationSettings {
  readonly verify: 'none' | 'token' | 'hmac' | 'standard';
  readonly secrets: readonly string[];
  readonly header: string | undefined;
  readonly messageIdHeader: string;
}

/** An entry of `PORTARIA_SOURCES`. */
export const sourceEntry = z.strictObject({
  verify: z.enum(['none', 'token', 'hmac', 'standard'], 'must be one of none, token, hmac, standard'),
  secrets: z.array(z.string().min(1, 'must not be empty')).default([]),
  header: z.string().toLowerCase().optional(),
  messageIdHeader: z.string().toLowerCase().optional(),
});

/** Checks that the scheme has what it needs; `where` names the settings in problems. */
export function verification(
  given: VerificationSettings,
  where: { readonly verify: string; readonly secrets: string },
): { readonly options?: VerifyOptions; readonly problems: readonly Problem[] } {
  const { verify, secrets, messageIdHeader } = given;
  if (verify === 'none') return { options: { scheme: 'none', messageIdHeader }, problems: [] };
  if (secrets.length === 0) {
    return {
      problems: [
        { where: where.secrets, message: `${where.verify}=${verify} needs at least one secret; set it here` },
      ],
    };
  }
  switch (verify) {
    case 'token':
      return {
        options: { scheme: 'token', header: given.header ?? 'x-webhook-token', secrets, messageIdHeader },
        problems: [],
      };
    case 'hmac':
      return {
        options: { scheme: 'hmac', header: given.header ?? 'x-webhook-signature', secrets, messageIdHeader },
        problems: [],
      };
    case 'standard': {
      const unusable = secrets.findIndex((secret) => !isStandardSecret(secret));
      if (unusable === -1) return { options: { scheme: 'standard', secrets, messageIdHeader }, problems: [] };
      const message = `secret ${String(unusable + 1)} must be base64, with or without whsec_ before it`;
      return { problems: [{ where: where.secrets, message }] };
    }
  }
}

/** Standard Webhooks secrets are base64, usually written `whsec_<base64>`. */
export function isStandardSecret(secret: string): boolean {
  const base64 = secret.replace(/^whsec_/, '');
  return base64.length >= 4 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
}
