import type { Command } from 'commander';
import { identify } from '../../../identify/identify.ts';
import { releaseQuarantine } from '../../../operate/release-quarantine.ts';
import { parse } from '../../../parse/parse.ts';
import type { ReleaseView } from '../../../view/operation-views.ts';
import { exitCode } from '../../exit-code.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { jsonOption } from '../../options/list-options.ts';
import {
  addQuarantineFilterOptions,
  quarantineFilter,
  type QuarantineFilterFlags,
} from '../../options/quarantine-filter-options.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

interface ReleaseFlags extends QuarantineFilterFlags {
  readonly dryRun: boolean;
  readonly json: boolean;
}

const columns: readonly Column<ReleaseView>[] = [
  { heading: 'id', value: (release) => release.id },
  { heading: 'outcome', value: (release) => release.outcome },
  { heading: 'kind', shrinks: true, value: (release) => release.kind },
  { heading: 'event', value: (release) => release.event_id },
  { heading: 'message', shrinks: true, value: (release) => release.message },
];

export function addQuarantineRelease(quarantine: Command, session: Session): void {
  const command = quarantine
    .command('release')
    .description('parses held deliveries again and lets through, in order, what fits now')
    .argument('[ids...]', 'for example q3; or choose by flags; everything held when neither is given');
  addQuarantineFilterOptions(command)
    .option('--dry-run', 'say what would be released, change nothing', false)
    .addOption(jsonOption())
    .action(async (ids: string[], flags: ReleaseFlags) => {
      const named = [...ids, ...(flags.id ?? [])];
      const filter = { ...quarantineFilter(flags), ...(named.length > 0 && { ids: named }) };
      await withStore(session, async (store, config) => {
        const registry = await loadRegistry(config);
        const releases = await releaseQuarantine(
          { store, registry, parse, identify },
          { filter, dryRun: flags.dryRun },
        );
        await writeList(session, wholeList(releases), {
          columns,
          json: flags.json,
          empty: 'Nothing is held.',
        });
        // Named entries were asked for one by one; a sweep leaves what does not fit without complaint.
        const held = releases.filter(({ outcome }) => outcome === 'held' || outcome === 'dropped').length;
        if (named.length > 0 && held > 0)
          session.exitCode = held === releases.length ? exitCode.failed : exitCode.partial;
      });
    });
}
