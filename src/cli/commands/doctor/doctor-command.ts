import { existsSync, realpathSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../../../config/config.ts';
import type { Registry } from '../../../handle/load/registry.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { describeModes } from '../../../kernel/files/private-files.ts';
import { packageVersion } from '../../../kernel/files/package-files.ts';
import { nodeProblem } from '../../../kernel/node-version.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { exitCode } from '../../exit-code.ts';
import { jsonOption } from '../../options/list-options.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { defaultProviderFile } from '../provider/load-provider.ts';
import { checkDatabase, type DoctorCheck } from './check-database.ts';

/** A clock before this date, on which the check was written, is not set. */
const MIN_CLOCK = Date.UTC(2026, 0, 1);

const columns: readonly Column<DoctorCheck>[] = [
  {
    heading: '',
    value: ({ ok, warning }) => (!ok ? 'FIX' : warning ? 'WARN' : 'ok'),
    tone: ({ ok, warning }) => (!ok ? 'alarm' : warning ? 'attention' : null),
  },
  { heading: 'check', value: ({ name }) => name },
  { heading: 'result', value: ({ detail }) => detail },
];

/** `portaria doctor`: checks that Portaria can run here, and says what to fix. */
export function addDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description('check versions, settings, the database, the disk, the clock and handlers')
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      const { config, checks: settings } = checkConfig(session);
      const checks = [
        ...checkRuntime(process.versions.node, session.terminal.clock.now()),
        ...settings,
        ...(config === null ? [] : await checkConfigured(config, session)),
        ...checkProviderFile(defaultProviderFile(session.terminal.cwd)),
      ];
      await writeList(session, wholeList(checks), { columns, json });
      if (checks.some(({ ok }) => !ok)) session.exitCode = exitCode.failed;
    });
}

function checkRuntime(nodeVersion: string, now: number): readonly DoctorCheck[] {
  const problem = nodeProblem(nodeVersion);
  const isClockSet = now >= MIN_CLOCK;
  const time = new Date(now).toISOString();
  return [
    { name: 'portaria', ok: true, detail: packageVersion() },
    { name: 'node', ok: problem === null, detail: problem ?? nodeVersion },
    {
      name: 'clock',
      ok: isClockSet,
      detail: isClockSet ? time : `${time} is in the past: set the system clock, or synchronize it by NTP`,
    },
  ];
}

/** Returns the configuration, or null and a failed check for each problem. */
function checkConfig(session: Pick<Session, 'configWithApi'>): {
  readonly config: Config | null;
  readonly checks: readonly DoctorCheck[];
} {
  const name = 'settings';
  try {
    const config = session.configWithApi();
    const schemes = [...config.sources].map(([source, { scheme }]) => `${source}: ${scheme}`).join(', ');
    const warnings = config.warnings.map((detail) => ({ name, ok: true, warning: true as const, detail }));
    return {
      config,
      checks: [
        { name, ok: true, detail: 'all valid' },
        { name: 'verification', ok: true, detail: schemes },
        ...warnings,
      ],
    };
  } catch (error) {
    if (!PortariaError.is(error, 'misconfigured')) throw error;
    const checks = error.problems.map(({ where, message }) => ({
      name,
      ok: false,
      detail: `${where} ${message}`,
    }));
    return { config: null, checks };
  }
}

async function checkConfigured(config: Config, { terminal }: Session): Promise<readonly DoctorCheck[]> {
  let registry: Registry | undefined;
  const handlers = await guarded('handlers', async () => {
    registry = await loadRegistry(config);
    return [checkHandlers(registry)];
  });
  const database = await guarded('database', () =>
    checkDatabase(config, terminal.clock, registry?.deliveryNames),
  );
  return [...database, ...handlers];
}

/** Turns an error of a check into failed checks, so that the other checks still run. */
async function guarded(
  name: string,
  check: () => Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> {
  try {
    return await check();
  } catch (error) {
    if (!PortariaError.is(error)) throw error;
    if (error.problems.length === 0) return [{ name, ok: false, detail: error.message }];
    return error.problems.map(({ where, message }) => ({ name, ok: false, detail: `${where}: ${message}` }));
  }
}

function checkHandlers(registry: Registry): DoctorCheck {
  const names = registry.definitions.map(({ name }) => name);
  const uncovered = registry.coverage().filter(({ handlers }) => handlers.length === 0);
  const gap =
    uncovered.length === 0
      ? 'every kind has a handler'
      : `${String(uncovered.length)} kinds have no handler (see \`portaria handlers list --uncovered\`)`;
  return { name: 'handlers', ok: true, detail: `${names.join(', ') || 'none'}; ${gap}` };
}

/** Checks the modes of the provider's own database, if there is one: it holds secrets too. */
function checkProviderFile(file: string): readonly DoctorCheck[] {
  if (!existsSync(file)) return [];
  const { isPrivate, text } = describeModes(realpathSync(file));
  return [{ name: 'provider file', ok: isPrivate, detail: text }];
}
