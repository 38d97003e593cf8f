import { InvalidArgumentError, Option, type Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { packageVersion } from '../../../kernel/files/package-files.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { fieldLines } from '../../output/format.ts';
import { parseCount, parsePort, parseRetention, parseWebAddress, parseWhole } from '../../options/values.ts';
import type { Session } from '../../session.ts';
import { loadProvider, providerFile, withProvider, type ChaosRates, type Provider } from './load-provider.ts';
import { addSeed } from './provider-seed.ts';

const MAX_LANES = 64;

/** Adds `portaria provider`, which runs the stand-in of the provider, and its former name `service`. */
export function addProvider(program: Command, session: Session): void {
  addStart(program.command('provider'), program, session);
  addStart(program.command('service', { hidden: true }), program, session);
}

function addStart(command: Command, program: Command, session: Session): void {
  command
    .description('run a stand-in of the provider, for development; --database names its own file')
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <n>', 'listen on this port; 0 takes any free one', parsePort, 4010)
    .option('--chaos <effects>', 'rates of effects on webhooks, as in duplicates=0.1,reorder=0.2')
    .option('--no-control', 'without /control, by which programs on this machine drive the provider')
    .addOption(keepWebhooks())
    .option('--seed <n>', 'seed of everything random: the same seed gives the same results', parseWhole, 1)
    .action(async (options: StartOptions) => {
      await start(session, { ...options, path: providerFile(program, session) });
    });
  addKeysCreate(command.command('keys').description('API keys of organizations'), program, session);
  addEndpointsAdd(command.command('endpoints').description('webhook endpoints'), program, session);
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
    isTerminal: terminal.out.isTerminal,
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
        ...(control && { '  control': `${running.url}/control` }),
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

function addKeysCreate(keys: Command, program: Command, session: Session): void {
  keys
    .command('create')
    .description('create an API key and print it once; creates the organization if it is new')
    .argument('<organization>', "the organization's name")
    .action((name: string) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { createApiKey, findOrCreateOrganization, widgetsOf } = await loadProvider();
        const organization = await findOrCreateOrganization(provider, name);
        await session.print(await createApiKey(provider, organization));
        const widgets = await widgetsOf(provider, organization);
        await session.note(
          `Send the key in the header x-api-key. It cannot be shown again. Widget: ${widgets.join(', ')}`,
        );
      }),
    );
}

interface EndpointOptions {
  readonly organization?: string;
  readonly secret?: string;
  readonly lanes?: number;
}

function addEndpointsAdd(endpoints: Command, program: Command, session: Session): void {
  endpoints
    .command('add')
    .description("send an organization's webhooks to this URL from now on")
    .argument('<url>', 'the URL of the receiver', parseWebAddress)
    .option('--organization <name>', 'the organization; optional when there is only one')
    .option('--secret <whsec>', 'sign by Standard Webhooks: whsec_ and 24 to 64 bytes in base64')
    .option('--lanes <n>', 'webhooks sent in parallel; above 1, order holds per record only', parseLanes)
    .action((url: string, { organization: name, secret, lanes }: EndpointOptions) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { addWebhookEndpoint, isSigningSecret } = await loadProvider();
        if (secret !== undefined && !isSigningSecret(secret))
          throw new PortariaError(
            'invalid-argument',
            '--secret: expected whsec_ and 24 to 64 bytes in base64',
          );
        const organization = await findOrganization(provider, name);
        await addWebhookEndpoint(provider, organization.id, { url, secret, lanes });
        const signed = secret === undefined ? '' : ', signed';
        await session.print(`Webhooks of ${organization.name} go to ${url}${signed}`);
      }),
    );
}

function parseLanes(text: string): number {
  const lanes = parseCount(text);
  if (lanes > MAX_LANES) throw new InvalidArgumentError(`Write a number up to ${String(MAX_LANES)}.`);
  return lanes;
}

/** Finds an organization by name, or the only one if no name is given. */
async function findOrganization(
  provider: Provider,
  name: string | undefined,
): Promise<{ readonly id: number; readonly name: string }> {
  const { organizations } = await loadProvider();
  const all = await organizations(provider);
  const candidates = name === undefined ? all : all.filter((each) => each.name === name);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  if (name !== undefined) throw new PortariaError('not-found', `There is no organization ${name}`);
  if (only === undefined)
    throw new PortariaError(
      'not-found',
      'There is no organization yet: portaria provider keys create <organization>',
    );
  throw new PortariaError(
    'invalid-argument',
    `--organization is required, because there are several: ${all.map((each) => each.name).join(', ')}`,
  );
}
