/** The flags of `send` about its signature. */
import type { Config } from '../../../config/config.ts';
import { readStandardKey } from '../../../verify/standard-webhooks.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';

/** The flags of `send` that decide how a body is signed. */
export interface SigningFlags {
  readonly source: string;
  readonly verify?: VerifyOptions['scheme'];
  readonly secret?: string;
  readonly header?: string;
}

/**
 * Returns the scheme, secret and header to sign with: those of the configured source, overridden by flags.
 *
 * @throws PortariaError `not-found` when the source is unknown, `invalid-argument` when the scheme has no secret.
 */
export function senderOptions(config: Config, flags: SigningFlags): VerifyOptions {
  const configured = config.sources.get(flags.source);
  if (configured === undefined && flags.verify === undefined)
    throw new PortariaError(
      'not-found',
      `--source ${flags.source} is not configured; configured are ${[...config.sources.keys()].join(', ')}`,
    );
  const scheme = flags.verify ?? configured?.scheme ?? 'none';
  const messageIdHeader = configured?.messageIdHeader ?? 'webhook-id';
  if (scheme === 'none') return { scheme, messageIdHeader };

  const same = configured?.scheme === scheme ? configured : undefined;
  const secrets = flags.secret === undefined ? (same?.secrets ?? []) : [flags.secret];
  if (secrets.length === 0)
    throw new PortariaError('invalid-argument', `--verify ${scheme} needs a secret: add --secret`);
  if (scheme === 'standard') {
    if (secrets.some((secret) => readStandardKey(secret) === null))
      throw new PortariaError(
        'invalid-argument',
        '--secret must be base64 for --verify standard, with or without the prefix whsec_',
      );
    return { scheme, secrets, messageIdHeader };
  }
  const usual = scheme === 'token' ? 'x-webhook-token' : 'x-webhook-signature';
  const known = same !== undefined && 'header' in same ? same.header : usual;
  return { scheme, secrets, messageIdHeader, header: flags.header?.toLowerCase() ?? known };
}
