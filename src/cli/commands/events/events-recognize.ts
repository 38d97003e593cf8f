/** `portaria events recognize`. */
import type { Command } from 'commander';
import { createIdentify } from '../../../identify/identify.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { recognizeEvents, type RecognizedKind } from '../../../operate/change/recognize-events.ts';
import { definedLater } from '../../../operate/show/defined-later.ts';
import { createParse } from '../../../parse/parse.ts';
import { keyedIds } from '../../../store/erased-content.ts';
import { audited, namedFilter } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { requireRoutes } from '../../known-handlers.ts';
import { requireKinds } from '../../options/kind-option.ts';
import { jsonOption } from '../../options/list-options.ts';
import { repeatable } from '../../options/repeatable.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { confirm } from '../../terminal/confirm.ts';
import { withStore } from '../../with-store.ts';

const columns: readonly Column<RecognizedKind>[] = [
  { heading: 'kind', shrinks: 'start', enough: 24, value: ({ kind }) => kind },
  { heading: 'outcome', value: ({ outcome }) => outcome },
  { heading: 'events', align: 'right', value: ({ events }) => events },
  { heading: 'deliveries', align: 'right', value: ({ deliveries }) => deliveries },
  { heading: 'first', value: (row) => row.event_id },
  { heading: 'why', shrinks: true, optional: true, value: ({ message }) => message },
];

interface RecognizeFlags {
  readonly kind?: readonly string[];
  readonly plan: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** `portaria events recognize`: judges events again that came before their kind was defined. */
export function addEventsRecognize(events: Command, session: Session): void {
  events
    .command('recognize')
    .description('judge events again that came before their kind was defined, and deliver them, in order')
    .option(
      '--kind <kind>',
      'only this kind or wildcard; repeatable (default: all that are defined)',
      repeatable,
    )
    .option('--plan', 'show what would be recognized, change nothing', false)
    .option('-y, --yes', 'start without asking', false)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action((flags: RecognizeFlags) =>
      withStore(session, async (store, config) => {
        const registry = await requireRoutes(store, config);
        const { contract } = registry;
        await requireKinds(store, contract, flags.kind);
        const knows = (source: string, kind: string): boolean => contract.find(source, kind) !== undefined;
        const kinds = flags.kind ?? (await definedLater(store, knows)).map(({ kind }) => kind);
        const deps = {
          ...{ store, registry, parse: createParse(contract, config.onUnknownValue) },
          identify: createIdentify(contract, keyedIds(await store.erasureKey())),
        };
        const print = (rows: readonly RecognizedKind[]) =>
          writeList(session, wholeList(rows), {
            ...{ columns, json: flags.json, empty: 'No event of a kind that is defined is unrecognized.' },
          });
        const { signal, release } = listenForInterrupt(session.terminal);
        try {
          const planned =
            flags.plan || !flags.yes
              ? await recognizeEvents(deps, { kinds, dryRun: true, signal })
              : undefined;
          if (signal.aborted) return;
          const count = eventsOf(planned?.outcomes ?? [], 'would-recognize');
          if (planned && (flags.plan || count === 0)) {
            await print(planned.outcomes);
            return;
          }
          if (planned && !(await confirm(session, `Recognize ${countOf(count, 'event')}?`, flags))) return;
          const operation = { action: 'recognizeEvents', subject: namedFilter({ kinds }) };
          const found = await audited(session, store, operation, async (addDetails) => {
            const upTo = planned?.last;
            const done = await recognizeEvents(deps, {
              ...{ kinds, dryRun: false, signal, ...(upTo != null && { upTo }) },
            });
            addDetails({ recognized: String(eventsOf(done.outcomes, 'recognized')) });
            return done;
          });
          await print(found.outcomes);
        } finally {
          if (signal.aborted) {
            await session.note('Interrupted. The same command goes on.');
            session.exitCode = exitCode.interrupted;
          }
          release();
        }
      }),
    );
}

function eventsOf(rows: readonly RecognizedKind[], outcome: RecognizedKind['outcome']): number {
  return rows.reduce((sum, row) => sum + (row.outcome === outcome ? row.events : 0), 0);
}

const epilogue = `
An event keeps its id and its time. It gets the subject, the version and the verdict that it would have got
when it came, and a delivery for each handler that never had it. A handler that takes no stale events does
not get what is older than the subject's latest version by now.

What stays unrecognized:
invalid    its content does not match the kind
unknown    its source has no such kind
duplicate  another event has its content
pruned     it has no content any more
erased     a person was erased from it
held       it would leave a subject under a legal hold (see portaria privacy hold)
waiting    it would leave the lane in which a delivery of it waits: run it again later

A plan looks at contents alone: duplicate, held and waiting show when it runs.
`;
