import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { loadHandlers } from '../../handle/load/load-handlers.ts';
import { loadRegistry, registryOf } from '../../load-registry.ts';
import { collectDrift, MAX_DRIFTS, type Drift } from '../../operate/drift/collect-drift.ts';
import { patchEffects, type PatchEffect } from '../../operate/drift/patch-effects.ts';
import { patchText } from '../../operate/drift/patch-text.ts';
import { instantText } from '../../view/instant-text.ts';
import { momentParser } from '../options/event-filter.ts';
import { jsonOption } from '../options/list-options.ts';
import { readableTime } from '../output/format.ts';
import { inPages, wholeList } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import type { Session } from '../session.ts';
import { withStore } from '../with-store.ts';

interface DriftFlags {
  readonly since?: number;
  readonly patch: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** One difference, as the command shows it. */
interface DriftRow {
  readonly source: string;
  readonly kind: string;
  readonly path: string;
  readonly difference: Drift['difference'];
  readonly type: string | null;
  readonly value: string | null;
  readonly events: number;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
}

const driftColumns: readonly Column<DriftRow>[] = [
  { heading: 'source', optional: true, shrinks: true, value: (row) => row.source },
  { heading: 'kind', shrinks: true, value: (row) => row.kind },
  { heading: 'path', shrinks: true, value: (row) => row.path },
  { heading: 'difference', value: (row) => row.difference },
  { heading: 'type', value: (row) => row.type },
  { heading: 'value', shrinks: true, value: (row) => row.value },
  { heading: 'events', align: 'right', value: (row) => row.events },
  { heading: 'first seen', value: (row) => readableTime(row.first_seen) },
  { heading: 'last seen', value: (row) => readableTime(row.last_seen) },
];

const effectColumns: readonly Column<PatchEffect>[] = [
  { heading: 'id', value: (row) => row.id },
  { heading: 'kind', shrinks: true, value: (row) => row.kind },
  { heading: 'effect', value: (row) => row.effect },
];

/** `portaria contract drift`: compares what was received with the contract. */
export function addContractDrift(contract: Command, session: Session): void {
  contract
    .command('drift')
    .description(
      'compare stored and quarantined webhooks with the contract: fields, values and types; never personal data',
    )
    .option(
      '--since <time>',
      'received at or after this instant (ISO 8601) or age (15m, 2h, 3d)',
      momentParser(session.terminal.clock),
    )
    .option('--patch', 'print a handlers file that accepts what has come', false)
    .option('--dry-run', 'show which events and quarantine entries that file would change', false)
    .addOption(jsonOption())
    .action(async (flags: DriftFlags) => {
      const config = session.config();
      const { contract } = await loadRegistry(config);
      const request = flags.since === undefined ? {} : { since: flags.since };
      await withStore(
        session,
        async (store) => {
          const { drifts, truncated } = await collectDrift(store, contract, request);
          if (truncated)
            await session.note(
              `There are more than ${MAX_DRIFTS.toLocaleString('en')} differences, and the rest is not shown; --since shows fewer.`,
            );
          if (flags.dryRun) {
            const patched = await withPatch(patchText(drifts, contract), async (folder) => {
              const { kinds } = await loadHandlers({ folder, config });
              return (await registryOf({ config, kinds: kinds.map(({ definition }) => definition) }))
                .contract;
            });
            await writeList(session, inPages(patchEffects(store, patched, request)), {
              columns: effectColumns,
              json: flags.json,
              empty: 'The patch would change nothing that is stored or held.',
            });
          } else if (flags.patch) await session.print(patchText(drifts, contract).trimEnd());
          else
            await writeList(session, wholeList(drifts.map(driftRow)), {
              columns: driftColumns,
              json: flags.json,
              empty: 'What was received matches the contract.',
            });
        },
        contract,
      );
    });
}

/** Loads a patch as a handlers folder would: from a temporary file, which is removed. */
async function withPatch<T>(text: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'portaria-patch-'));
  try {
    // A patch of nothing exports no definition, which a file must.
    const nothing = "import { fromConfig } from 'portaria';\nexport default fromConfig(() => undefined);\n";
    await writeFile(join(folder, 'patch.ts'), text.includes('export const') ? text : nothing);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function driftRow({ firstSeenAt, lastSeenAt, schema: _schema, ...drift }: Drift): DriftRow {
  return {
    ...drift,
    first_seen: firstSeenAt === null ? null : instantText(firstSeenAt),
    last_seen: lastSeenAt === null ? null : instantText(lastSeenAt),
  };
}
