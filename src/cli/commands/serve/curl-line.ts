import { readFixture } from '../../http/fixtures.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';

/** Small, and harmless: nobody acts on a made-up console user. */
const KIND = 'console-user.created';

/** One line that works when pasted; where the body has to be signed, `portaria send`, which can. */
export function curlLine(options: {
  readonly url: string;
  readonly verify: VerifyOptions | undefined;
  readonly showSecrets: boolean;
}): string {
  const { url, verify, showSecrets } = options;
  if (verify?.scheme === 'hmac' || verify?.scheme === 'standard') return `portaria send ${KIND} --url ${url}`;
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
