/** `portaria contract drift`. */
import {
  existsSync,
  realpathSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Contract } from '../../contract/contract.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { countOf } from '../../kernel/text/count.ts';
import { loadRegistry, registryOf } from '../../load-registry.ts';
import { collectDrift, MAX_DRIFTS, type Drift } from '../../operate/drift/collect-drift.ts';
import { patchEffects, type PatchEffect } from '../../operate/drift/patch-effects.ts';
import { createPatch, type Patch } from '../../operate/drift/patch-text.ts';
import { maskText } from '../../kernel/text/scrub.ts';
import { instantText } from '../../view/instant-text.ts';
import { momentParser } from '../options/event-filter.ts';
import { jsonOption, limitOption } from '../options/list-options.ts';
import { repeatable } from '../options/repeatable.ts';
import { readableTime } from '../output/format.ts';
import { inPages, wholeList, type Limit } from '../output/pages.ts';
import { requireForeignFile } from '../output/private-file.ts';
import type { Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import type { Session } from '../session.ts';
import { requireContract } from '../../handle/load/require-contract.ts';
import { withStore } from '../with-store.ts';
import { randomBytes } from 'node:crypto';

interface DriftFlags {
  readonly since?: number;
  readonly kind?: readonly string[];
  readonly patch: boolean;
  readonly loosen: boolean;
  readonly out?: string;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly limit: Limit;
}

/** One difference, as the command shows it. */
interface DriftRow {
  readonly source: string;
  readonly kind: string;
  readonly path: string;
  readonly difference: Drift['difference'];
  readonly type: string | null;
  readonly value: string | null;
  /** The names that came in payloads of an unknown kind; null for every other difference. */
  readonly fields: readonly string[] | null;
  readonly webhooks: number;
  readonly held: number;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
}

const driftColumns: readonly Column<DriftRow>[] = [
  { heading: 'source', optional: true, shrinks: true, value: (row) => row.source },
  { heading: 'kind', shrinks: true, value: (row) => row.kind },
  { heading: 'path', shrinks: true, value: (row) => row.path },
  { heading: 'difference', value: (row) => row.difference },
  { heading: 'type', value: (row) => row.type },
  { heading: 'value', shrinks: true, value: (row) => row.value ?? row.fields?.join(', ') ?? null },
  { heading: 'webhooks', align: 'right', value: (row) => row.webhooks },
  { heading: 'held', align: 'right', value: (row) => row.held },
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
    .option('--kind <kind>', 'this kind, or a wildcard such as company.*; repeatable', repeatable)
    .option('--patch', 'print a handlers file that accepts what has come', false)
    .option('--out <file>', 'write that file, for example into the handlers folder, instead of printing it')
    .option('--force', 'with --out: replace the file if it exists', false)
    .option(
      '--loosen',
      'let the file also accept missing fields and other values that are only in quarantine',
      false,
    )
    .option('--dry-run', 'show which stored and quarantined webhooks that file would change', false)
    .addOption(limitOption('rows', 50))
    .addOption(jsonOption())
    .action(async (_own: DriftFlags, command: Command) => {
      // `contract` has a flag --kind, too, and takes the values of both.
      const flags = command.optsWithGlobals<DriftFlags>();
      const config = session.config();
      if (flags.out !== undefined && flags.dryRun)
        throw new PortariaError(
          'invalid-argument',
          '--out and --dry-run exclude each other: give one of them',
        );
      const { contract, emptyFiles = [] } = await loadRegistry(config);
      for (const file of emptyFiles) await session.note(`note: ${file} is empty and ignored`);
      const request = {
        ...(flags.since !== undefined && { since: flags.since }),
        ...(flags.kind !== undefined && { kinds: flags.kind }),
      };
      await withStore(
        session,
        async (store) => {
          await requireContract(store, contract);
          const { drifts, truncated } = await collectDrift(store, contract, request);
          if (truncated)
            await session.note(
              `There are more than ${MAX_DRIFTS.toLocaleString('en')} differences, and the rest is not shown; --since shows fewer.`,
            );
          const patch = createPatch(drifts, contract, flags);
          if (flags.dryRun) {
            const { contract: after } = await registryOf({ config, kinds: patch.kinds });
            const kinds = patch.kinds.map(({ kind }) => kind);
            await writeList(session, inPages(patchEffects(store, { before: contract, after, kinds })), {
              columns: effectColumns,
              json: flags.json,
              empty: 'The patch would change nothing that is stored or held.',
            });
          } else if (flags.out !== undefined) {
            // What the start of serve would reject is not written.
            await registryOf({ config, kinds: patch.kinds });
            await writePatch(session, patch, contract, flags);
          } else if (flags.patch) await session.print(patch.text.trimEnd());
          else
            await writeList(session, wholeList(driftRows(drifts), flags.limit), {
              columns: driftColumns,
              json: flags.json,
              empty: 'What was received matches the contract.',
            });
        },
        { contract },
      );
    });
}

/** Writes a patch with definitions. A file whose definitions are in use is not replaced: they would be lost. */
async function writePatch(
  session: Session,
  { text, kinds }: Patch,
  contract: Contract,
  { out = '', force }: Pick<DriftFlags, 'out' | 'force'>,
): Promise<void> {
  const path = resolve(session.terminal.cwd, out);
  requireForeignFile(path, out, session.config());
  const origins = [...contract.kinds, ...contract.sources].map(({ origin }) => origin);
  if (existsSync(path) && origins.includes(realpathSync(path)))
    throw new PortariaError('invalid-argument', `${out} defines kinds that are in use; name another file`);
  if (kinds.length === 0) {
    await session.note(`${out} is not written: the patch defines nothing; --patch prints its comments.`);
    return;
  }
  writeWholeFile(path, { text, shownAs: out, force });
  await session.note(`${out} is written: ${countOf(kinds.length, 'kind')}. A restart of serve applies it.`);
}

/** One row for each difference; of an unknown kind one in all, with the names of its fields. */
function driftRows(drifts: readonly Drift[]): readonly DriftRow[] {
  const keyOf = ({ source, kind }: Drift): string => JSON.stringify([source, kind]);
  const fields = new Map<string, Set<string>>();
  for (const drift of drifts) if (drift.difference === 'unknown-kind') fields.set(keyOf(drift), new Set());
  for (const drift of drifts) if (drift.path !== '') fields.get(keyOf(drift))?.add(drift.path);
  return drifts
    .filter((drift) => drift.path === '' || !fields.has(keyOf(drift)))
    .map((drift) => ({ ...driftRow(drift), fields: listOf(fields.get(keyOf(drift))) }));
}

function listOf(names: ReadonlySet<string> | undefined): readonly string[] | null {
  return names === undefined ? null : [...names];
}

function driftRow({ firstSeenAt, lastSeenAt, schema: _schema, ...drift }: Drift): Omit<DriftRow, 'fields'> {
  return {
    ...drift,
    kind: maskText(drift.kind),
    path: drift.path === '' ? 'data' : `data.${drift.path}`,
    first_seen: firstSeenAt === null ? null : instantText(firstSeenAt),
    last_seen: lastSeenAt === null ? null : instantText(lastSeenAt),
  };
}

interface WholeFile {
  readonly text: string;
  /** The path as the user wrote it, for messages. */
  readonly shownAs: string;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
}

/**
 * Writes a text file that is complete as soon as it has its name: it is written beside the name first. A failure
 * leaves the previous file, or none.
 *
 * @throws PortariaError `invalid-argument` when the file exists and `force` is not set, or it cannot be written
 */
function writeWholeFile(path: string, { text, shownAs, force }: WholeFile): void {
  // The handlers folder does not load files that end in `.part`.
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    const file = openSync(part, 'wx');
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // A link never replaces a file, not even one that has just been created.
    if (force) renameSync(part, path);
    else linkSync(part, path);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    if (exists) throw new PortariaError('invalid-argument', `${shownAs} exists; --force replaces it`);
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written`, { cause });
  } finally {
    rmSync(part, { force: true });
  }
}
