/** `portaria watch`. */
import type { Command } from 'commander';
import type { Observe } from '../../attention/observe.ts';
import type { OperatorProblem } from '../../attention/problem.ts';
import { createProblemTracker } from '../../attention/track-problems.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import { pause } from '../../kernel/time/pause.ts';
import type { Store } from '../../store/store.ts';
import { instantText } from '../../view/instant-text.ts';
import { problemView, type ProblemView } from '../../view/problem-view.ts';
import { listenForInterrupt } from '../interruption.ts';
import { openObserve } from '../open-observe.ts';
import { jsonOption } from '../options/list-options.ts';
import { parseSeconds } from '../options/values.ts';
import { readableTime } from '../output/format.ts';
import type { Page } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import type { Session } from '../session.ts';
import { openBeside } from '../with-store.ts';

/** A problem that began or ended. */
type Change = ProblemView & { readonly at: string; readonly change: 'began' | 'ended' };

const columns: readonly Column<Change>[] = [
  { heading: 'time', value: ({ at }) => readableTime(at) },
  { heading: '', value: ({ change }) => change },
  { heading: 'problem', value: ({ problem }) => problem },
  {
    heading: 'what',
    value: ({ change, summary, remedy }) => (change === 'began' ? `${summary}; ${remedy}` : summary),
  },
];

/** `portaria watch`: prints when a problem begins and when it ends. */
export function addWatch(program: Command, session: Session): void {
  program
    .command('watch')
    .description('print when something needs attention and when it no longer does, until Ctrl-C')
    .option('--every <seconds>', 'time between two looks', parseSeconds, 60)
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async ({ json, every }: { json: boolean; every: number }) => {
      const config = session.config();
      const { clock } = session.terminal;
      const { signal, release } = listenForInterrupt(session.terminal);
      let store: Store | undefined;
      async function open(): Promise<Observe> {
        store ??= await openBeside(session);
        const observe = await openObserve(store, config, session.terminal);
        await session.note(`Watching ${store.location}; Ctrl-C ends it.`);
        return observe;
      }
      try {
        const changes = follow(open, {
          signal,
          now: () => clock.now(),
          wait: () => pause(clock, every * 1000, signal),
        });
        await writeList(session, changes, { columns, json });
      } finally {
        release();
        await store?.close();
      }
    });
}

const epilogue = `
It prints the problems that there are at first, then every begin and every end: those that
portaria doctor shows as ATTENTION, and store-unavailable while it cannot look (docs/monitoring.md).
It changes nothing, and works beside serve or without it. To be told elsewhere, set PORTARIA_ALERT_URL
for serve.
`;

/** Yields what changed between looks, until the signal aborts. A look opens the store, if none has yet. */
async function* follow(
  open: () => Promise<Observe>,
  { signal, now, wait }: { signal: AbortSignal; now: () => number; wait: () => Promise<void> },
): AsyncGenerator<Page<Change>> {
  const tracker = createProblemTracker();
  let problems: readonly OperatorProblem[] = [];
  let observe: Observe | undefined;
  while (!signal.aborted) {
    problems = await look(problems);
    const at = now();
    const changes = tracker.compare(problems, at);
    tracker.confirm(changes);
    const rows = [
      ...changes.begun.map(({ problem }) => changeOf('began', problem, at)),
      ...changes.ended.map(({ problem }) => changeOf('ended', problem, at)),
    ];
    yield { rows, cut: false };
    await wait();
  }

  /** A look that fails begins a problem of its own. What was found before neither ends nor is found anew. */
  async function look(before: readonly OperatorProblem[]): Promise<readonly OperatorProblem[]> {
    try {
      observe ??= await open();
      return (await observe(signal)).problems;
    } catch (error) {
      if (signal.aborted) return before;
      // What is no outage, such as a database that does not exist, does not end by itself.
      if (observe === undefined && !PortariaError.is(error, 'store-busy')) throw error;
      const others = before.filter(({ problem }) => problem !== 'store-unavailable');
      return [...others, unreadable(failureReason(error))];
    }
  }
}

function unreadable(reason: string): OperatorProblem {
  return {
    problem: 'store-unavailable',
    of: null,
    since: null,
    summary: `watch cannot look: ${reason}`,
    remedy: 'it goes on by itself; `portaria doctor` says what to fix',
  };
}

function changeOf(change: Change['change'], problem: OperatorProblem, at: number): Change {
  return { at: instantText(at), change, ...problemView(problem) };
}
