import { readFixture } from '../../http/fixtures.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';

/** Small, and harmless: nobody acts on a made-up console user. */
const KIND = 'console-user.created';

/** One line that works when pasted; else `portaria send`, which signs bodies and reads files of secrets. */
export function curlLine(options: {
  readonly url: string;
  readonly verify: VerifyOptions | undefined;
  readonly showSecrets: boolean;
  readonly secretsInFile: boolean;
}): string {
  const { url, verify, showSecrets, secretsInFile } = options;
  const isUnknownToShell = verify?.scheme === 'token' && secretsInFile && !showSecrets;
  if (verify?.scheme === 'hmac' || verify?.scheme === 'standard' || isUnknownToShell)
    return `portaria send ${KIND} --url ${url}`;
  const body = JSON.stringify(JSON.parse(readFixture(KIND).toString('utf8')));
  const token =
    verify?.scheme === 'token'
      ? ` -H ${showSecrets ? quoted(`${verify.header}: ${verify.secrets[0] ?? ''}`) : `"${verify.header}: \${PORTARIA_SECRETS%%,*}"`}`
      : '';
  return `curl -sS -w ' %{http_code}\\n' ${url} -H 'content-type: application/json'${token} -d ${quoted(body)}`;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
