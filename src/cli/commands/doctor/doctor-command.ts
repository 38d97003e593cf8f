import type { Command } from 'commander';
import type { Config } from '../../../config/config.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { StoreCheck } from '../../../store/store.ts';
import { exitCode } from '../../exit-code.ts';
import { jsonOption } from '../../options/list-options.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { defaultProviderFile } from '../provider/load-provider.ts';
import { checkConfig } from './check-config.ts';
import { checkDatabase, checkProviderFile } from './check-database.ts';
import { checkHandlers } from './check-handlers.ts';
import { checkRuntime } from './check-runtime.ts';

const columns: readonly Column<StoreCheck>[] = [
  { heading: '', value: ({ ok }) => (ok ? 'ok' : 'FIX') },
  { heading: 'what', value: ({ name }) => name },
  { heading: 'found', value: ({ detail }) => detail },
];

export function addDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description('checks versions, settings, file, durability, disk, clock and handlers')
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      const { config, checks: settings } = checkConfig(session);
      const checks = [
        ...checkRuntime(process.versions.node, session.terminal.clock.now()),
        ...settings,
        ...(config === null ? [] : await checkParts(config, session)),
        ...checkProviderFile(defaultProviderFile(session.terminal.cwd)),
      ];
      await writeList(session, wholeList(checks), { columns, json });
      if (checks.some(({ ok }) => !ok)) session.exitCode = exitCode.failed;
    });
}

async function checkParts(config: Config, { terminal }: Session): Promise<readonly StoreCheck[]> {
  return [
    ...(await guarded('database', () => checkDatabase(config, terminal.clock))),
    ...(await guarded('handlers', () => checkHandlers(config))),
  ];
}

/** Whatever fails is a line too: the other checks are still wanted. */
async function guarded(
  name: string,
  check: () => Promise<readonly StoreCheck[]>,
): Promise<readonly StoreCheck[]> {
  try {
    return await check();
  } catch (error) {
    if (!PortariaError.is(error)) throw error;
    if (error.problems.length === 0) return [{ name, ok: false, detail: error.message }];
    return error.problems.map(({ where, message }) => ({ name, ok: false, detail: `${where}: ${message}` }));
  }
}
