import type { Command } from 'commander';
import type { Provider } from '../../../../provider/provider.ts';
import type { SeedResult } from '../../../../provider/seed/seed-organization.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { parseCount, parseWhole } from '../../options/numbers.ts';
import { fieldLines } from '../../output/field-lines.ts';
import { createProgress } from '../../output/progress.ts';
import { createTable } from '../../output/table.ts';
import type { Session } from '../../session.ts';
import { providerFile } from './provider-file.ts';
import { withProvider } from './with-provider.ts';

interface Options {
  readonly companies: number;
  readonly violations: number;
  readonly seed: number;
  readonly organization: string;
  readonly webhooks?: true;
  readonly more?: true;
  readonly key?: true;
}

export function addSeed(provider: Command, program: Command, session: Session): void {
  provider
    .command('seed')
    .description(
      'fill an organization with made-up Brazilian data: companies, people, violations, slips and all',
    )
    .option('--companies <n>', 'so many companies', parseCount, 20)
    .option(
      '--violations <n>',
      'so many traffic violations; of the rest what goes with them',
      parseCount,
      5000,
    )
    // The command above has it, too, and takes it from the command line: hence its value below.
    .option('--seed <n>', 'the same data again', parseWhole, 1)
    .option('--organization <name>', 'whose; made where there is none', 'Serra Azul')
    .option('--more', 'also where the organization has data')
    .option('--webhooks', 'tell the endpoints that there are, as if it happened now')
    .option('--key', 'make an API key, too, and print it, this once')
    .action(async (_: unknown, command: Command) => {
      await run(session, providerFile(program, session), command.optsWithGlobals<Options>());
    });
}

async function run(session: Session, path: string, options: Options): Promise<void> {
  const { terminal } = session;
  const { organization: name, companies, violations, seed, webhooks = false, more = false } = options;
  const { signal, release } = listenForInterrupt(terminal);
  await withProvider(path, session, async (provider) => {
    const { createApiKey } = await import('../../../../provider/organizations/api-key.ts');
    const { findOrCreateOrganization } = await import('../../../../provider/organizations/organization.ts');
    const { seedOrganization } = await import('../../../../provider/seed/seed-organization.ts');
    const { widgetsOf } = await import('../../../../provider/widget/widgets.ts');
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
    await session.print(madeText(result));
    await session.print('');
    const [candidate = ''] = result.driverCandidates;
    await session.print(
      fieldLines({
        organization: name,
        widget: (await widgetsOf(provider, organization)).join(', '),
        'can become a driver': candidate,
        data: path,
        ...(options.key && { key: await createApiKey(provider, organization) }),
      }),
    );
    if (!result.isComplete) {
      session.exitCode = exitCode.interrupted;
      await session.note('Interrupted: what was made is kept, and --more adds to it.');
    } else await session.note(await nextSteps(provider, organization, options));
  });
  release();
}

function madeText({ counts }: SeedResult): string {
  const table = createTable<readonly [string, number]>(
    [
      { heading: 'made', value: ([what]) => what },
      { heading: 'records', align: 'right', value: ([, count]) => count },
    ],
    Infinity,
  );
  return table.page([...counts]);
}

/** How to go on. */
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
    ...(webhooks && endpoint === undefined ? ['Nobody was told: the organization has no endpoint.'] : []),
    ...(key ? [] : [`A key for it: portaria service keys create '${name}'`]),
    'Then: portaria service',
  ].join('\n');
}
