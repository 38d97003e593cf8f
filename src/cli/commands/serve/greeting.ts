/** What `serve` prints when it is ready. */
import type { Portaria } from '../../../compose.ts';
import type { Addresses } from '../../../lifecycle.ts';
import type { Config } from '../../../config/config.ts';
import { nameOfProof, type VerifyOptions } from '../../../verify/verify-options.ts';
import { isEveryAddress, listeningUrl, webhookUrl } from '../../http/webhook-url.ts';
import { offsetFromUtc } from '../../output/local-time.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { chooseSample, postCommand, type Sample } from './sample-command.ts';

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
  /** The command by which a shell runs this program. */
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether secrets may be shown: only to a person at this machine, never in a log. */
  readonly showSecrets: boolean;
  /** Whether the secrets come from a file, so that no shell variable holds them. */
  readonly secretsInFile: boolean;
}

/** What `serve` prints when it is ready: its addresses, its settings and a command to try it. */
export function greeting({ config, addresses, portaria, now, ...rest }: GreetingOptions): Greeting {
  const { ops, sources } = config;
  const webhooks = { host: config.host, port: addresses.port };
  const listening = listeningUrl(webhooks);
  const operators = new URL('/', listeningUrl({ host: ops.host, port: addresses.opsPort })).href;
  const handlers = portaria.registry.definitions.map(({ name }) => name);
  const schemes = [...sources].map(([name, { verify }]) => `${name}: ${nameOfProof(verify)}`).join(', ');
  const sample = chooseSample(portaria.registry);
  const text = [
    'Portaria is ready.',
    '',
    ...labelled([
      ...[...sources].map(([source, { verify }], at) => [
        at === 0 ? 'webhooks' : '',
        `${listeningUrl({ ...webhooks, source })} (${schemeText(verify)}${reachNote(config.host)})`,
      ]),
      [
        'operators',
        `${operators} (${ops.token === null ? 'no token' : 'bearer token'}${reachNote(ops.host)})`,
      ],
      ['data', portaria.store.location],
      ['handlers', handlers.join(', ') || 'none: events are stored, but no handler runs'],
      ['times', `local (UTC${offsetFromUtc(now).replace('Z', '')})`],
    ]),
    ...config.warnings.map((warning) => `  warning: ${warning}`),
    '',
    ...(sample === undefined ? [] : tryIt(sample)),
  ].join('\n');
  return { text, fields: { listening, operators, data: portaria.store.location, schemes, handlers } };

  function tryIt(chosen: Sample): readonly string[] {
    const { source } = chosen;
    const url = webhookUrl({ ...webhooks, source });
    const post = postCommand({ url, verify: sources.get(source)?.verify, sample: chosen, ...rest });
    return [`Try it. ${sampleText(chosen)}`, '', `  ${post}`, ''];
  }
}

function schemeText(verify: VerifyOptions): string {
  return verify.scheme === 'none' ? 'not verified' : `verified by ${nameOfProof(verify)}`;
}

function reachNote(host: string): string {
  return isEveryAddress(host) ? ', at every address of this machine' : '';
}

/** Lines `label  value`, with the values aligned. */
function labelled(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([label = '']) => label.length));
  return rows.map(([label = '', value = '']) => `  ${label.padEnd(width)}  ${printableLine(value)}`);
}

function sampleText({ kind, handlers }: Sample): string {
  if (handlers.length === 0) return `No handler takes this event, ${printableLine(kind)}; it is stored:`;
  return `The log says how ${handlers.join(' and ')} handled this event, ${printableLine(kind)}:`;
}
