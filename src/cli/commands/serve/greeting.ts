import type { Addresses, Portaria } from '../../../compose.ts';
import type { Config } from '../../../config/config.ts';
import { webhookUrl } from '../../http/webhook-url.ts';
import { fieldLines } from '../../output/field-lines.ts';
import { curlLine } from './curl-line.ts';

export interface Greeting {
  /** For people. */
  readonly text: string;
  /** The same for a log line. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface GreetingParts {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly portaria: Pick<Portaria, 'store' | 'registry'>;
  /** Whether only a person on this machine reads it: logs are kept, and no place for secrets. */
  readonly showSecrets: boolean;
  /** Whether the secrets come from a file, so that no variable of the shell has them. */
  readonly secretsInFile: boolean;
}

/** Where everything is, and how to try it. */
export function greeting({ config, addresses, portaria, ...secrets }: GreetingParts): Greeting {
  const { host, ops, sources } = config;
  const listening = webhookUrl({ host, port: addresses.port });
  const operators = new URL('/', webhookUrl({ host: ops.host, port: addresses.opsPort })).href;
  const handlers = portaria.registry.definitions.map(({ name }) => name);
  const schemes = [...sources].map(([name, { scheme }]) => `${name}: ${scheme}`).join(', ');
  const text = [
    'Portaria is ready.',
    '',
    fieldLines({
      '  webhooks': listening,
      '  operators': `${operators}${ops.token === null ? '' : ' (with the bearer token)'}`,
      '  data': portaria.store.location,
      '  verified by': schemes,
      '  handlers': handlers.join(', ') || 'none: events are stored, nothing runs on them',
    }),
    ...config.warnings.map((warning) => `  warning: ${warning}`),
    '',
    'Try it:',
    '',
    `  ${curlLine({ url: listening, verify: sources.get('default'), ...secrets })}`,
    '',
  ].join('\n');
  return { text, fields: { listening, operators, data: portaria.store.location, schemes, handlers } };
}
