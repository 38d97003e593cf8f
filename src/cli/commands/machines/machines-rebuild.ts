import type { Command } from 'commander';
import { subjectName, type Subject } from '../../../event/subject.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { rebuildMachines } from '../../../operate/rebuild-machines.ts';
import type { RebuildView } from '../../../view/operation-views.ts';
import { exitCode } from '../../exit-code.ts';
import { notFound } from '../../not-found.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseSubject } from '../../options/subject.ts';
import { inPages } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

interface RebuildFlags {
  readonly subject?: Subject;
  readonly source?: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const columns: readonly Column<RebuildView>[] = [
  { heading: 'machine', value: (rebuild) => rebuild.machine },
  { heading: 'subject', shrinks: true, value: (rebuild) => rebuild.subject },
  { heading: 'source', shrinks: true, value: (rebuild) => rebuild.source },
  { heading: 'outcome', value: (rebuild) => rebuild.outcome },
  { heading: 'events', align: 'right', value: (rebuild) => rebuild.events },
  { heading: 'anomalies', align: 'right', value: (rebuild) => rebuild.anomalies },
  { heading: 'message', shrinks: true, value: (rebuild) => rebuild.message },
];

export function addMachinesRebuild(machines: Command, session: Session): void {
  machines
    .command('rebuild')
    .description('folds stored events anew, as after a change of the machine; no effect runs')
    .argument('[machine]', 'for example login-attempt; all of them unless given')
    .option('--subject <family:id>', 'only this subject', parseSubject)
    .option('--source <name>', 'only subjects from this source')
    .option('--dry-run', 'say what would be rebuilt, change nothing', false)
    .addOption(jsonOption())
    .action(async (machine: string | undefined, { json, ...flags }: RebuildFlags) => {
      await withStore(session, async (store, config) => {
        const registry = await loadRegistry(config);
        const { clock } = session.terminal;
        let failed = 0;
        async function* counted(): AsyncGenerator<RebuildView> {
          const request = { ...flags, ...(machine !== undefined && { machine }) };
          for await (const rebuild of rebuildMachines({ store, registry, clock }, request)) {
            if (rebuild.outcome === 'failed') failed += 1;
            yield rebuild;
          }
        }
        const count = await writeList(session, inPages(counted()), {
          columns,
          json,
          empty: 'No machine has events to fold.',
        });
        if (count === 0 && flags.subject !== undefined)
          notFound('state to rebuild for', subjectName(flags.subject));
        if (failed > 0) session.exitCode = failed === count ? exitCode.failed : exitCode.partial;
      });
    });
}
