/** `portaria events prune`. */
import type { Command } from 'commander';
import { loadRegistry } from '../../../load-registry.ts';
import { prune, type PruneBefore, type PruneCount } from '../../../operate/change/prune.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { pause } from '../../../kernel/time/pause.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Store } from '../../../store/store.ts';
import { audited, namedFilter } from '../../audited.ts';
import { ownerText } from '../../known-handlers.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseAge } from '../../options/values.ts';
import { readableBytes } from '../../output/format.ts';
import { createProgress } from '../../output/progress.ts';
import type { Session } from '../../session.ts';
import { confirm } from '../../terminal/confirm.ts';
import { withStore } from '../../with-store.ts';
import { z } from 'zod';

interface PruneFlags {
  readonly older: number;
  readonly quarantine: boolean;
  readonly deliveries: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Milliseconds between two steps: a running `serve` writes in between. */
const BETWEEN_STEPS_MS = 5;

/** `portaria events prune`: removes old bodies, as a running `serve` does by its settings. */
export function addEventsPrune(events: Command, session: Session): void {
  events
    .command('prune')
    .description('remove bodies and headers of old events; rows stay, so that repeats are still known')
    .requiredOption('--older <age>', 'received longer ago than this: 12h, 90d or 26w', parseAge)
    .option('--quarantine', 'also remove entries of the quarantine whose bytes came last before that', false)
    .option(
      '--deliveries',
      'also remove errors of deliveries and jobs that ended before that, and discard dead letters',
      false,
    )
    .option('--dry-run', 'show what would be pruned, change nothing', false)
    .option('-y, --yes', 'start without asking', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async (flags: PruneFlags) => {
      const registry = await loadRegistry(session.config());
      const machines = registry.definitions.filter((definition) => definition.type === 'machine');
      const before = cutoffs(flags, session.terminal.clock.now());
      const operation = {
        action: 'pruneEvents',
        subject: namedFilter({
          until: before.events,
          quarantine: flags.quarantine,
          deliveries: flags.deliveries,
        }),
      };
      const use = async (store: Store): Promise<void> => {
        if (!flags.dryRun) await requireMachines(store, machines);
        const deps = { store, machines, clock: session.terminal.clock };
        const print = async (count: PruneCount, ended: PruneView['ended']): Promise<void> => {
          const view = pruneView(count, { dryRun: flags.dryRun, ended });
          await session.print(flags.json ? JSON.stringify(view) : pruneText(view));
        };
        if (flags.dryRun) {
          await print(await run(session, deps, before, true), 'done');
          return;
        }
        if (!flags.yes) {
          const planned = await run(session, deps, before, true);
          if (planned.events + planned.quarantine + planned.deliveries === 0) {
            await print(planned, 'done');
            return;
          }
          await session.note(pruneText(pruneView(planned, { dryRun: true, ended: 'done' })));
          if (!(await confirm(session, 'Prune? This cannot be undone.', flags))) return;
        }
        const { signal, release } = listenForInterrupt(session.terminal);
        try {
          const count = await audited(session, store, operation, async (addDetails) => {
            const pruned = await run(session, deps, before, false, signal);
            addDetails({
              events: String(pruned.events),
              entries: String(pruned.quarantine),
              deliveries: String(pruned.deliveries),
              ...(pruned.discarded > 0 && { discarded: String(pruned.discarded) }),
            });
            return pruned;
          });
          await print(count, signal.aborted ? 'interrupted' : 'done');
          if (signal.aborted) session.exitCode = exitCode.interrupted;
          else await noteCompaction(session, await store.totals());
        } finally {
          release();
        }
      };
      await withStore(session, use, registry);
    });
}

/**
 * The states of a machine that is not here would not be stored before its events go: an application that
 * embeds the library has it, or PORTARIA_HANDLERS differs from that of the running process.
 *
 * @throws PortariaError `invalid-argument`
 */
async function requireMachines(
  store: Pick<Store, 'processes'>,
  machines: readonly { readonly name: string }[],
): Promise<void> {
  const known = new Set(machines.map(({ name }) => name));
  const processes = await store.processes();
  const foreign = processes
    .flatMap(({ handlers }) => handlers)
    .filter(({ type, name }) => type === 'machine' && !known.has(name));
  if (foreign.length === 0) return;
  const names = [...new Set(foreign.map(({ name }) => name))].join(', ');
  throw new PortariaError(
    'invalid-argument',
    `The states of ${names} are needed before events are pruned, and only ${ownerText(processes)} has ` +
      'these machines: set PORTARIA_HANDLERS as there, or set PORTARIA_KEEP_EVENTS there',
  );
}

async function run(
  { terminal }: Session,
  deps: Parameters<typeof prune>[0],
  before: PruneBefore,
  dryRun: boolean,
  signal?: AbortSignal,
): Promise<PruneCount> {
  const { clock } = terminal;
  const bar = createProgress(terminal, dryRun ? 'looking' : 'pruning');
  try {
    return await prune(deps, before, {
      dryRun,
      async step({ events, quarantine, deliveries }) {
        const done = events + quarantine + deliveries;
        bar.update(done, done, '');
        await pause(clock, dryRun ? 0 : BETWEEN_STEPS_MS, signal);
        return signal?.aborted !== true;
      },
    });
  } finally {
    bar.stop();
  }
}

function cutoffs({ older, quarantine, deliveries }: PruneFlags, now: number): PruneBefore {
  const before = now - older;
  return {
    events: before,
    quarantine: quarantine ? before : null,
    deliveries: deliveries ? before : null,
  };
}

/** A file that another program wrote without incremental vacuum keeps its size until it is compacted. */
async function noteCompaction(
  session: Session,
  { freeBytes, givesBackSpace }: { readonly freeBytes: number; readonly givesBackSpace: boolean },
): Promise<void> {
  if (givesBackSpace || freeBytes === 0) return;
  await session.note(
    `The file keeps ${readableBytes(freeBytes)} of free space, which new events fill first. To give it back, stop serve and run portaria store compact.`,
  );
}

function pruneText(view: PruneView): string {
  const parts = [
    `${countOf(view.events, 'event')} (${readableBytes(view.bytes)})`,
    ...(view.quarantine > 0
      ? [countOf(view.quarantine, 'quarantined delivery', 'quarantined deliveries')]
      : []),
    ...(view.deliveries > 0 ? [deliveriesText(view)] : []),
  ];
  const what = `${parts.join(', ')} ${view.dry_run ? 'would be pruned' : 'pruned'}`;
  const given = view.given_back > 0 ? [`${readableBytes(view.given_back)} given back to the disk`] : [];
  const waiting =
    view.waiting > 0
      ? [
          `${countOf(view.waiting, 'old event')} stay${view.waiting === 1 ? 's' : ''}: still to be delivered, or dead letters`,
        ]
      : [];
  const held =
    view.held_rows > 0
      ? [`${countOf(view.held_rows, 'old row')} stay${view.held_rows === 1 ? 's' : ''}: under a legal hold`]
      : [];
  const ended = view.ended === 'interrupted' ? ['interrupted; run it again for the rest'] : [];
  return [what, ...given, ...waiting, ...held, ...ended].join('\n');
}

function deliveriesText({ deliveries, discarded }: PruneView): string {
  const all = countOf(deliveries, 'delivery', 'deliveries');
  return discarded > 0 ? `${all} (${countOf(discarded, 'dead letter')} discarded)` : all;
}

const epilogue = `
The subject, version, digest and message id of a pruned event stay: a repeat is still a duplicate, and
a late event still stale. Its payload is gone: it cannot be replayed, exported or shown.

An event with a pending, running or dead delivery is never pruned. With --deliveries, dead letters of
that age are discarded first. Before events of a machine go, the state that they leave is stored.

Nothing of a subject under a legal hold is pruned (see portaria privacy hold).

PORTARIA_KEEP_EVENTS, PORTARIA_KEEP_QUARANTINE and PORTARIA_KEEP_DELIVERIES do the same in serve.
`;

const count = z.int().min(0);

const pruneSchema = z
  .object({
    dry_run: z.boolean().describe('Whether nothing was changed.'),
    ended: z.enum(['done', 'interrupted']).describe('Whether all of it was looked at.'),
    events: count.describe('Events without body and headers from now on.'),
    bytes: count.describe('Bytes of these bodies and headers.'),
    quarantine: count.describe('Quarantine entries that were removed.'),
    deliveries: count.describe('Finished deliveries without error and change from now on.'),
    discarded: count.describe('Dead letters among them, which are skipped from now on; 0 in a dry run.'),
    waiting: count.describe(
      'Old events that stay, because they or their machines wait, or for a dead letter.',
    ),
    held_rows: count.describe('Old rows that stay, because their subject is under a legal hold.'),
    given_back: count.describe('Bytes that the file was shortened by.'),
  })
  .meta({ id: 'Prune', description: 'What was pruned.' });

type PruneView = z.infer<typeof pruneSchema>;

/** The counts of a run, as the command line shows them. */
function pruneView(
  counts: PruneCount,
  { dryRun, ended }: { readonly dryRun: boolean; readonly ended: PruneView['ended'] },
): PruneView {
  const { events, bytes, quarantine, deliveries, discarded, waiting, held, givenBack } = counts;
  return {
    dry_run: dryRun,
    ended,
    events,
    bytes,
    quarantine,
    deliveries,
    discarded,
    waiting,
    held_rows: held,
    given_back: givenBack,
  };
}
