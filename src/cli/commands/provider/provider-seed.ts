/** `portaria provider seed`: fills the provider's database with made-up records. */
import type { Command } from 'commander';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseCount, parseWhole } from '../../options/values.ts';
import { fieldLines } from '../../output/format.ts';
import { createProgress } from '../../output/progress.ts';
import { createTable } from '../../output/table.ts';
import type { Session } from '../../session.ts';
import { loadProvider, providerFile, withProvider, type Provider, type SeedResult } from './load-provider.ts';

interface Options {
  readonly companies: number;
  readonly violations: number;
  readonly seed: number;
  readonly organization: string;
  readonly webhooks?: true;
  readonly more?: true;
  readonly key?: true;
  readonly json: boolean;
}

/** Adds `portaria provider seed`. */
export function addSeed(provider: Command, program: Command, session: Session): void {
  provider
    .command('seed')
    .description(
      'fill an organization with generated Brazilian data: companies, people, violations, payment slips',
    )
    .option('--companies <n>', 'number of companies', parseCount, 20)
    .option(
      '--violations <n>',
      'number of traffic violations; the other records follow from it',
      parseCount,
      5000,
    )
    // The parent command has the option too and takes its value; optsWithGlobals reads it below.
    .option('--seed <n>', 'seed of the data: the same seed gives the same data', parseWhole, 1)
    .option('--organization <name>', 'the organization; created if it is new', 'Serra Azul')
    .option('--more', 'add to an organization that has data')
    .option('--webhooks', 'send webhooks to the endpoints, as if everything happened now')
    .option('--key', 'also create an API key and print it once')
    .addOption(jsonOption())
    .action(async (_: unknown, command: Command) => {
      await run(session, providerFile(program, session), command.optsWithGlobals<Options>());
    });
}

async function run(session: Session, path: string, options: Options): Promise<void> {
  const { terminal } = session;
  const { organization: name, companies, violations, seed, webhooks = false, more = false } = options;
  const { signal, release } = listenForInterrupt(terminal);
  await withProvider(path, session, async (provider) => {
    const { createApiKey, findOrCreateOrganization, seedOrganization, widgetsOf } = await loadProvider();
    const organization = await findOrCreateOrganization(provider, name);
    const progress = createProgress(terminal, 'seed');
    const result = await seedOrganization(provider, organization, {
      companies,
      violations,
      seed,
      more,
      emitsWebhooks: webhooks,
      signal,
      onProgress: (done, total, what) => {
        progress.update(done, total, what);
      },
    }).finally(() => {
      progress.stop();
    });
    const seeded: Seeded = {
      result,
      organization: name,
      database: path,
      widgets: await widgetsOf(provider, organization),
      ...(options.key && { key: await createApiKey(provider, organization) }),
    };
    await session.print(options.json ? JSON.stringify(seededJson(seeded)) : seededText(seeded));
    if (!result.isComplete) {
      session.exitCode = exitCode.interrupted;
      await session.note('Interrupted. The records created so far are kept; --more adds to them.');
    } else await session.note(await nextSteps(provider, organization, options));
  });
  release();
}

interface Seeded {
  readonly result: SeedResult;
  readonly organization: string;
  readonly database: string;
  readonly widgets: readonly string[];
  readonly key?: string;
}

function seededText({ result, organization, database, widgets, key }: Seeded): string {
  const [candidate = ''] = result.driverCandidates;
  const fields = {
    organization,
    widget: widgets.join(', '),
    'CPF for a new driver': candidate,
    database,
    ...(key !== undefined && { key }),
  };
  return `${createdText(result)}\n\n${fieldLines(fields)}`;
}

function seededJson({ result, organization, database, widgets, key }: Seeded): object {
  const created = [...result.counts].map(([what, count]) => [what.replaceAll(' ', '_'), count] as const);
  return {
    organization,
    database,
    widgets,
    driver_candidate: result.driverCandidates[0] ?? null,
    created: Object.fromEntries(created),
    complete: result.isComplete,
    ...(key !== undefined && { key }),
  };
}

function createdText({ counts }: SeedResult): string {
  const table = createTable<readonly [string, number]>(
    [
      { heading: 'created', value: ([what]) => what },
      { heading: 'records', align: 'right', value: ([, count]) => count },
    ],
    Infinity,
  );
  return table.page([...counts]);
}

/** Returns hints on what to do next. */
async function nextSteps(
  { query }: Provider,
  organization: number,
  { organization: name, key, webhooks }: Options,
): Promise<string> {
  const endpoint = await query
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  return [
    ...(key ? ['Send the key in the header x-api-key. It cannot be shown again.'] : []),
    ...(webhooks && endpoint === undefined
      ? ['No webhooks were sent: the organization has no endpoint.']
      : []),
    ...(key ? [] : [`Next, create a key: portaria provider keys create '${name}'`]),
    'Then start the provider: portaria provider',
  ].join('\n');
}
