/** `portaria doctor`. */
import { existsSync, realpathSync } from 'node:fs';
import type { Command } from 'commander';
import { withDefinedSources } from '../../../config/defined-sources.ts';
import type { Config } from '../../../config/config.ts';
import type { SourceContract } from '../../../contract/contract.ts';
import type { Registry } from '../../../handle/load/registry.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { describeModes } from '../../../kernel/files/private-files.ts';
import { packageVersion } from '../../../kernel/files/package-files.ts';
import { nodeProblem } from '../../../kernel/node-version.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { nameOfProof } from '../../../verify/verify-options.ts';
import { exitCode } from '../../exit-code.ts';
import { openObserve } from '../../open-observe.ts';
import { jsonOption } from '../../options/list-options.ts';
import { localTime } from '../../output/local-time.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column, Tone } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { defaultProviderFile } from '../provider/load-provider.ts';
import { checkDatabase, checkHandlers, found, type DoctorCheck } from './check-database.ts';

/** A clock before this date, on which the check was written, is not set. */
const MIN_CLOCK = Date.UTC(2026, 0, 1);

const columns: readonly Column<DoctorCheck>[] = [
  { heading: '', value: (check) => words[stateOf(check)], tone: (check) => tones[stateOf(check)] },
  { heading: 'check', value: ({ name }) => name },
  { heading: 'result', wraps: true, value: ({ detail }) => detail },
];

type State = 'ok' | 'warning' | 'attention' | 'failing';

const words: Readonly<Record<State, string>> = {
  ok: 'ok',
  warning: 'WARN',
  attention: 'ATTENTION',
  failing: 'FIX',
};

const tones: Readonly<Record<State, Tone | null>> = {
  ok: null,
  warning: 'attention',
  attention: 'attention',
  failing: 'alarm',
};

function stateOf({ ok, warning, attention }: DoctorCheck): State {
  if (!ok) return 'failing';
  if (attention) return 'attention';
  return warning ? 'warning' : 'ok';
}

/** `portaria doctor`: checks that Portaria can run here, and says what to fix. */
export function addDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description('check versions, settings, the database, the disk, the clock and handlers')
    .addOption(jsonOption())
    .option('--strict', `exit with ${String(exitCode.attention)} when something needs attention`, false)
    .addHelpText('after', epilogue)
    .action(async ({ json, strict }: { json: boolean; strict: boolean }) => {
      const { config, checks: settings } = checkConfig(session);
      const checks = [
        ...checkRuntime(process.versions.node, session.terminal.clock.now()),
        ...settings,
        ...(config === null ? [] : await checkConfigured(config, session)),
        ...checkProviderFile(defaultProviderFile(session.terminal.cwd)),
      ];
      const rows = checks.map((check) => ({ ...check, state: stateOf(check) }));
      await writeList(session, wholeList(rows), { columns, json });
      if (rows.some(({ state }) => state === 'failing')) session.exitCode = exitCode.failed;
      else if (strict && rows.some(({ state }) => state === 'attention'))
        session.exitCode = exitCode.attention;
    });
}

const epilogue = `
Each line is in one of these states:
  ok         nothing to do
  WARN       works, and should be changed before it fails
  ATTENTION  the installation works, and an operator has something to do: no database, no process
             runs, alerts that cannot be delivered, dead letters, bodies in quarantine, kinds outside
             the contract, an open breaker, more webhooks than usual that fail verification, deliveries
             that wait for long, events that a handler never got, a source or kind that has been silent
             for longer than its own pattern allows
  FIX        does not work

The exit code is 1 with a FIX line, else 0; with --strict, ATTENTION alone exits with ${String(exitCode.attention)}.
docs/when-something-is-wrong.md explains each ATTENTION. portaria watch prints when one begins and ends.
`;

function checkRuntime(nodeVersion: string, now: number): readonly DoctorCheck[] {
  const problem = nodeProblem(nodeVersion);
  const isClockSet = now >= MIN_CLOCK;
  const time = localTime(now);
  return [
    found('portaria', packageVersion()),
    found('node', problem ?? nodeVersion, problem === null),
    isClockSet
      ? found('clock', time)
      : found('clock', `${time} is in the past: set the system clock, or synchronize it by NTP`, false),
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
    const schemes = [...config.sources]
      .map(([source, { verify }]) => `${source}: ${nameOfProof(verify)}`)
      .join(', ');
    const warnings = config.warnings.map((detail) => found(name, detail, 'warning'));
    return {
      config,
      checks: [found(name, 'all valid'), found('verification', schemes), ...warnings],
    };
  } catch (error) {
    if (!PortariaError.is(error, 'misconfigured')) throw error;
    const checks = error.problems.map(({ where, message }) => found(name, `${where} ${message}`, false));
    return { config: null, checks };
  }
}

async function checkConfigured(config: Config, { terminal }: Session): Promise<readonly DoctorCheck[]> {
  let registry: Registry | undefined;
  const handlers = await guarded('handlers', async () => {
    registry = await loadRegistry(config);
    const empty = (registry.emptyFiles ?? []).map((file) =>
      found('handlers', `${file} is empty and ignored: write it again, or remove it`, 'warning'),
    );
    return [checkHandlers(registry, 'PORTARIA_HANDLERS'), ...empty];
  });
  const database = await guarded('database', () =>
    checkDatabase(config, terminal.clock, registry, async (store) => {
      const observe = await openObserve(store, config, terminal, registry?.contract);
      return observe();
    }),
  );
  const sources = registry === undefined ? [] : checkDefinedSources(config, registry.contract.sources);
  // Beside a running process, the shipped handlers are nobody's, unless a folder was named.
  const isRunning = database.some(({ name }) => name === 'handlers');
  return [...sources, ...database, ...(isRunning && config.handlersFolder === null ? [] : handlers)];
}

/** Checks how the sources of the handlers folder are verified: `serve` does not start on a mistake in it. */
function checkDefinedSources(config: Config, defined: readonly SourceContract[]): readonly DoctorCheck[] {
  const name = 'verification';
  if (defined.length === 0) return [];
  try {
    const { sources, warnings } = withDefinedSources(config, defined);
    const schemes = defined.map(({ name: source }) => {
      const configured = sources.get(source);
      return `${source}: ${configured === undefined ? 'none' : nameOfProof(configured.verify)}`;
    });
    return [
      found(name, schemes.join(', ')),
      ...warnings
        .filter((detail) => !config.warnings.includes(detail))
        .map((detail) => found(name, detail, 'warning')),
    ];
  } catch (error) {
    if (!PortariaError.is(error, 'misconfigured')) throw error;
    return error.problems.map(({ where, message }) => found(name, `${where} ${message}`, false));
  }
}

/** Turns an error of a check into failed checks, so that the other checks still run. */
async function guarded(
  name: string,
  check: () => Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> {
  try {
    return await check();
  } catch (error) {
    // A check must not end the others, whatever fails in it.
    if (!PortariaError.is(error))
      return [found(name, error instanceof Error ? error.message : String(error), false)];
    if (error.problems.length === 0) return [found(name, error.message, false)];
    return error.problems.map(({ where, message }) => found(name, `${where}: ${message}`, false));
  }
}

/** Checks the modes of the provider's own database, if there is one: it holds secrets too. */
function checkProviderFile(file: string): readonly DoctorCheck[] {
  if (!existsSync(file)) return [];
  const { isPrivate, text } = describeModes(realpathSync(file));
  return [found('provider file', text, isPrivate)];
}
