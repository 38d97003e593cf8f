import { Option, type Command } from 'commander';
import { exitCode } from '../../exit-code.ts';
import { webhookUrl } from '../../http/webhook-url.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseCount } from '../../options/numbers.ts';
import { repeatable } from '../../options/repeatable.ts';
import { parseWebAddress } from '../../options/web-address.ts';
import type { Session } from '../../session.ts';
import { answerText, postBody } from './post-body.ts';
import { readBodies } from './read-bodies.ts';
import { applySettings } from './apply-settings.ts';
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
    .description('post a fixture, a scenario or a file to a receiver, signed as it wants it')
    .argument('<what>', 'a kind, a scenario of fixtures/, a .json or .ndjson file, or - for standard input')
    .option(
      '--set <path=value>',
      'change a field, for example data.status=paid; {n} counts the sends; repeatable',
      repeatable,
    )
    .option('--count <n>', 'how often', parseCount, 1)
    .option('--url <url>', 'where to; by default the serve that the settings describe', parseWebAddress)
    .option('--source <name>', 'as this configured source', 'default')
    .addOption(
      new Option('--verify <scheme>', 'sign for this scheme instead of the configured one').choices([
        'none',
        'token',
        'hmac',
        'standard',
      ]),
    )
    .option('--secret <secret>', 'sign with this secret instead of the configured one')
    .option('--header <name>', 'the header of token or hmac, instead of the configured one')
    .addOption(jsonOption())
    .action(async (what: string, flags: SendFlags) => {
      const { terminal } = session;
      const config = session.config();
      const url = flags.url ?? webhookUrl({ host: config.host, port: config.port, source: flags.source });
      const verify = senderOptions(config, flags);
      const bodies = await readBodies(what, terminal);
      let sent = 0;
      let refused = 0;
      for (let round = 1; round <= flags.count; round += 1) {
        for (const body of bodies) {
          sent += 1;
          const bytes = applySettings(body, flags.set ?? [], sent);
          const answer = await postBody({ url, bytes, verify, terminal });
          if (answer.status >= 300) refused += 1;
          await session.print(flags.json ? JSON.stringify(answer) : answerText(answer));
        }
      }
      if (refused > 0) session.exitCode = refused === sent ? exitCode.failed : exitCode.partial;
    });
}
