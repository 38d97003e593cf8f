import type { Addresses, Portaria } from '../../../compose.ts';
import type { Config } from '../../../config/config.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';
import { readFixture } from '../../http/fixtures.ts';
import { isEveryAddress, listeningUrl, webhookUrl } from '../../http/webhook-url.ts';
import { fieldLines } from '../../output/format.ts';

export interface Greeting {
  /** The greeting for people. */
  readonly text: string;
  /** The same as fields of a log line. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface GreetingOptions {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly portaria: Pick<Portaria, 'store' | 'registry'>;
  /** Whether secrets may be shown: only to a person at this machine, never in a log. */
  readonly showSecrets: boolean;
  /** Whether the secrets come from a file, so that no shell variable holds them. */
  readonly secretsInFile: boolean;
}

/** What `serve` prints when it is ready: its addresses, its settings and a command to try it. */
export function greeting({ config, addresses, portaria, ...secrets }: GreetingOptions): Greeting {
  const { ops, sources } = config;
  const webhooks = { host: config.host, port: addresses.port };
  const listening = listeningUrl(webhooks);
  const operators = new URL('/', listeningUrl({ host: ops.host, port: addresses.opsPort })).href;
  const handlers = portaria.registry.definitions.map(({ name }) => name);
  const schemes = [...sources].map(([name, { scheme }]) => `${name}: ${scheme}`).join(', ');
  const text = [
    'Portaria is ready.',
    '',
    fieldLines({
      '  webhooks': `${listening}${reachNote(config.host)}`,
      '  operators': `${operators}${reachNote(ops.host)}${ops.token === null ? '' : ' (needs the bearer token)'}`,
      '  data': portaria.store.location,
      '  verification': schemes,
      '  handlers': handlers.join(', ') || 'none: events are stored, but no handler runs',
    }),
    ...config.warnings.map((warning) => `  warning: ${warning}`),
    '',
    'Try it:',
    '',
    `  ${tryCommand({ url: webhookUrl(webhooks), verify: sources.get('default'), ...secrets })}`,
    '',
  ].join('\n');
  return { text, fields: { listening, operators, data: portaria.store.location, schemes, handlers } };
}

function reachNote(host: string): string {
  return isEveryAddress(host) ? ' (every address of this machine)' : '';
}

/** A sample event without consequences: no shipped handler acts on it. */
const SAMPLE_KIND = 'console-user.created';

/** A command that posts a sample event: curl where that needs no signature, else `portaria send`. */
function tryCommand(options: {
  readonly url: string;
  readonly verify: VerifyOptions | undefined;
  readonly showSecrets: boolean;
  readonly secretsInFile: boolean;
}): string {
  const { url, verify, showSecrets, secretsInFile } = options;
  const isSecretOutOfReach = verify?.scheme === 'token' && secretsInFile && !showSecrets;
  if (verify?.scheme === 'hmac' || verify?.scheme === 'standard' || isSecretOutOfReach)
    return `portaria send ${SAMPLE_KIND} --url ${url}`;
  const body = JSON.stringify(JSON.parse(readFixture(SAMPLE_KIND).toString('utf8')));
  const token =
    verify?.scheme === 'token'
      ? ` -H ${showSecrets ? shellQuoted(`${verify.header}: ${verify.secrets[0] ?? ''}`) : `"${verify.header}: \${PORTARIA_SECRETS%%,*}"`}`
      : '';
  return `curl -sS -w ' %{http_code}\\n' ${url} -H 'content-type: application/json'${token} -d ${shellQuoted(body)}`;
}

/** Quotes a word for a POSIX shell. */
function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
