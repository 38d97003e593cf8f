/** `portaria send`: posts webhooks to a receiver, to try it out. */
import { Option, type Command } from 'commander';
import { exitCode } from '../../exit-code.ts';
import { webhookUrl } from '../../http/webhook-url.ts';
import { jsonOption } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { parseCount, parseWebAddress } from '../../options/values.ts';
import { withDefinedSources } from '../../../config/defined-sources.ts';
import { knownContract } from '../../known-contract.ts';
import type { Session } from '../../session.ts';
import { applySettings, checkPaths } from './apply-settings.ts';
import { postBody, responseText } from './post-body.ts';
import { readBodies } from './read-bodies.ts';
import { senderOptions, type SigningFlags } from './sender-options.ts';

interface SendFlags extends SigningFlags {
  readonly set?: readonly string[];
  readonly url?: string;
  readonly count: number;
  readonly json: boolean;
}

export function addSend(program: Command, session: Session): void {
  program
    .command('send')
    .description('post a sample event, a scenario or a file to a receiver, signed as configured')
    .argument('<what>', 'a kind, a scenario of fixtures/, a .json or .ndjson file, or - for standard input')
    .option(
      '--set <path=value>',
      'change a field to text or JSON, for example data.status=paid; {n} is the number of the send; repeatable',
      repeatable,
    )
    .option('--count <n>', 'send everything n times', parseCount, 1)
    .option('--url <url>', 'the receiver (default: the serve that the settings describe)', parseWebAddress)
    .option('--source <name>', 'send as this configured source', 'default')
    .addOption(
      new Option('--verify <scheme>', 'sign with this scheme, instead of that of the source').choices([
        'none',
        'token',
        'hmac',
        'standard',
      ]),
    )
    .option('--secret <secret>', 'sign with this secret, instead of that of the source')
    .option('--header <name>', 'the header of scheme token or hmac, instead of that of the source')
    .addOption(jsonOption())
    .action(async (what: string, flags: SendFlags) => {
      const { terminal } = session;
      const contract = await knownContract(session);
      const config = withDefinedSources(session.config(), contract.sources);
      const url = flags.url ?? webhookUrl({ host: config.host, port: config.port, source: flags.source });
      const verify = senderOptions(config, flags);
      checkPaths(flags.set ?? [], flags.source, contract.envelopeOf(flags.source));
      const bodies = await readBodies(what, { contract, source: flags.source, terminal });
      let sent = 0;
      let rejected = 0;
      for (let round = 1; round <= flags.count; round += 1) {
        for (const { bytes: body, headers } of bodies) {
          sent += 1;
          const bytes = applySettings(body, flags.set ?? [], sent);
          const response = await postBody({ url, bytes, headers, verify, terminal });
          if (response.status >= 300) rejected += 1;
          await session.print(flags.json ? JSON.stringify(response) : responseText(response));
        }
      }
      if (rejected > 0) session.exitCode = rejected === sent ? exitCode.failed : exitCode.partial;
    });
}
