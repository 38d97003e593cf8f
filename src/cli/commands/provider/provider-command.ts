/** Adds `portaria provider`, which runs the stand-in of the provider, and its former name `service`. */
import { Option, type Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { packageVersion } from '../../../kernel/files/package-files.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { fieldLines } from '../../output/format.ts';
import { parsePort, parseRetention, parseWhole } from '../../options/values.ts';
import type { Session } from '../../session.ts';
import { loadProvider, providerFile, type ChaosRates } from './load-provider.ts';
import { addEndpoints } from './provider-endpoints.ts';
import { addKeys } from './provider-keys.ts';
import { addSeed } from './provider-seed.ts';

export function addProvider(program: Command, session: Session): void {
  addStart(program.command('provider'), program, session);
  addStart(program.command('service', { hidden: true }), program, session);
}

function addStart(command: Command, program: Command, session: Session): void {
  command
    .description('run a stand-in of the provider, for development; --database names its own file')
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <n>', 'listen on this port; 0 takes any free one', parsePort, 4010)
    .option('--chaos <effects>', 'rates of effects on webhooks and the API, as in losses=0.05,away=0.1')
    .option(
      '--no-control',
      'without /control, by which programs and people on this machine drive the provider',
    )
    .addOption(keepWebhooks())
    .option('--seed <n>', 'seed of everything random: the same seed gives the same results', parseWhole, 1)
    .action(async (options: StartOptions) => {
      await start(session, { ...options, path: providerFile(program, session) });
    });
  addKeys(command, program, session);
  addEndpoints(command, program, session);
  addSeed(command, program, session);
}

function keepWebhooks(): Option {
  return new Option(
    '--keep-webhooks <time>',
    'delete delivered webhooks after this time, as in 12h; or forever',
  )
    .argParser(parseRetention)
    .default(parseRetention('7d'), '7d');
}

interface StartOptions {
  readonly host: string;
  readonly port: number;
  readonly chaos?: string;
  readonly seed: number;
  readonly control: boolean;
  readonly keepWebhooks: number | null;
}

/** Runs the provider until a signal stops it. */
async function start(
  session: Session,
  { path, host, port, chaos, seed, control, keepWebhooks }: StartOptions & { readonly path: string },
): Promise<void> {
  const { terminal } = session;
  const rates = await parseChaos(chaos);
  const { startProvider } = await loadProvider();
  const log = await createLogger({
    level: 'info',
    format: terminal.out.isTerminal ? 'pretty' : 'json',
    colors: terminal.out.colors,
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
      'The provider is ready.',
      '',
      fieldLines({
        '  endpoints': `${running.url}/v1`,
        '  reference': `${running.url}/docs`,
        ...(control && { '  control': `${running.url}/control/` }),
        '  database': path,
      }),
      '',
      'Next, create a key: portaria provider keys create <organization>',
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

async function parseChaos(text: string | undefined): Promise<ChaosRates> {
  const { calm, parseChaosRates } = await loadProvider();
  if (text === undefined) return calm;
  const rates = parseChaosRates(text);
  if (typeof rates === 'string') throw new PortariaError('invalid-argument', `--chaos: ${rates}`);
  return rates;
}
