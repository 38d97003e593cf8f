import type { Config } from '../../../config/config.ts';
import { readStandardKey } from '../../../verify/standard-webhooks.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';

export interface SigningFlags {
  readonly source: string;
  readonly verify?: VerifyOptions['scheme'];
  readonly secret?: string;
  readonly header?: string;
}

/**
 * How to sign: as the source is verified, each part of it overridden by its flag.
 *
 * @throws PortariaError `invalid-argument` when the source is unknown, or the
 *   scheme has no secret to sign with.
 */
export function senderOptions(config: Config, flags: SigningFlags): VerifyOptions {
  const configured = config.sources.get(flags.source);
  if (configured === undefined && flags.verify === undefined)
    throw new PortariaError(
      'invalid-argument',
      `There is no source ${flags.source}; known are ${[...config.sources.keys()].join(', ')}`,
    );
  const scheme = flags.verify ?? configured?.scheme ?? 'none';
  const messageIdHeader = configured?.messageIdHeader ?? 'webhook-id';
  if (scheme === 'none') return { scheme, messageIdHeader };

  const same = configured?.scheme === scheme ? configured : undefined;
  const secrets = flags.secret === undefined ? (same?.secrets ?? []) : [flags.secret];
  if (secrets.length === 0)
    throw new PortariaError('invalid-argument', `Signing for ${scheme} needs --secret`);
  if (scheme === 'standard') {
    if (secrets.some((secret) => readStandardKey(secret) === null))
      throw new PortariaError(
        'invalid-argument',
        'A secret of scheme standard is base64, whsec_ before it or not',
      );
    return { scheme, secrets, messageIdHeader };
  }
  const usual = scheme === 'token' ? 'x-webhook-token' : 'x-webhook-signature';
  const known = same !== undefined && 'header' in same ? same.header : usual;
  return { scheme, secrets, messageIdHeader, header: flags.header?.toLowerCase() ?? known };
}
