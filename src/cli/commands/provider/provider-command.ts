import { Option, type Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { packageVersion } from '../../../kernel/files/package-root.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import type { ChaosRates } from '../../../../provider/webhooks/chaos/chaos-rates.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { fieldLines } from '../../output/field-lines.ts';
import { parseKeeping } from '../../options/keeping.ts';
import { parsePort, parseWhole } from '../../options/numbers.ts';
import type { Session } from '../../session.ts';
import { providerFile } from './provider-file.ts';
import { addEndpointsAdd } from './provider-endpoints-add.ts';
import { addKeysCreate } from './provider-keys-create.ts';
import { addSeed } from './provider-seed.ts';

/** Loads the service only when one of its commands runs: `--help` shows them, too. */
export function addProvider(program: Command, session: Session): void {
  const service = program
    .command('service')
    .description('run the provider itself, as far as it is built; --database names its own file')
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <n>', 'listen on this port; 0 takes any free one', parsePort, 4010)
    .option('--chaos <effects>', 'what happens to webhooks on their way, as in duplicates=0.1,reorder=0.2')
    .option('--no-control', 'do not let programs on this machine drive it by hand, at /control')
    .addOption(keepWebhooks())
    .option('--seed <n>', 'the same life and the same chaos again', parseWhole, 1)
    .action(async (options: Options) => {
      await run(session, { ...options, path: providerFile(program, session) });
    });
  const keys = service.command('keys').description('API keys of organizations');
  addKeysCreate(keys, program, session);
  const endpoints = service.command('endpoints').description('where webhooks are to be sent');
  addEndpointsAdd(endpoints, program, session);
  addSeed(service, program, session);
}

function keepWebhooks(): Option {
  return new Option(
    '--keep-webhooks <time>',
    'delete delivered webhooks that are older, as in 12h, or forever',
  )
    .argParser(parseKeeping)
    .default(parseKeeping('7d'), '7d');
}

interface Options {
  readonly host: string;
  readonly port: number;
  readonly chaos?: string;
  readonly seed: number;
  readonly control: boolean;
  readonly keepWebhooks: number | null;
}

/** Resolves once a signal has stopped it. */
async function run(
  session: Session,
  { path, host, port, chaos, seed, control, keepWebhooks }: Options & { readonly path: string },
): Promise<void> {
  const { terminal } = session;
  const rates = await readRates(chaos);
  const { startProvider } = await import('../../../../provider/start-provider.ts');
  const log = await createLogger({
    level: 'info',
    format: terminal.out.isTerminal ? 'pretty' : 'json',
    isTerminal: terminal.out.isTerminal,
    ...(terminal.logDestination && { destination: terminal.logDestination }),
  });
  const { signal, release } = listenForInterrupt(terminal);
  const { clock, random } = terminal;
  const running = await startProvider({
    path,
    host,
    port,
    clock,
    random,
    log,
    version: packageVersion(),
    chaos: { rates, seed },
    seed,
    control,
    keepWebhooksMs: keepWebhooks,
  });
  await session.print(
    [
      'The service is ready.',
      '',
      fieldLines({
        '  endpoints': `${running.url}/v1`,
        '  described at': `${running.url}/docs`,
        ...(control && { '  driven by hand': `${running.url}/control` }),
        '  data': path,
      }),
      '',
      'A key for an organization: portaria service keys create <organization>',
    ].join('\n'),
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener('abort', () => {
        resolve();
      });
  });
  await running.stop();
  release();
}

async function readRates(text: string | undefined): Promise<ChaosRates> {
  const { calm, readChaosRates } = await import('../../../../provider/webhooks/chaos/chaos-rates.ts');
  if (text === undefined) return calm;
  const rates = readChaosRates(text);
  if (typeof rates === 'string') throw new PortariaError('invalid-argument', `--chaos: ${rates}`);
  return rates;
}
