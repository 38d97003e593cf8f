/** Quarantined webhooks: their table, and what they say elsewhere in the console. */
import type { FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { QuarantineView } from '../../view/quarantine-view.ts';
import { usePage } from '../page.ts';
import { SubjectLink } from './event-cells.tsx';
import { Quoted } from './foreign-text.tsx';

/** Milliseconds without another one after which what came several times is over: at least, and at most. */
const QUIET_MS = { least: 60_000, most: 3_600_000 };

/** Whether what came several times goes on: three times as long as usual have not passed without another one. */
export function goesOn(
  { times, firstAt, lastAt }: { readonly times: number; readonly firstAt: number; readonly lastAt: number },
  now: number,
): boolean {
  const usualMs = (lastAt - firstAt) / (times - 1);
  return times > 1 && now - lastAt < Math.min(Math.max(3 * usualMs, QUIET_MS.least), QUIET_MS.most);
}

export const EntryTable: FC<{ readonly entries: readonly QuarantineView[] }> = ({ entries }) => {
  const { words } = usePage();
  const { quarantine, columns } = words;
  return (
    <Table
      rows={entries}
      id={({ id }) => id}
      columns={[
        { head: columns.received, cell: (entry) => <EntryLink entry={entry} /> },
        { head: columns.kind, as: 'code', cell: ({ kind }) => kind ?? '–' },
        {
          head: columns.subject,
          as: 'code',
          cell: ({ subject }) => <SubjectLink subject={subject} />,
        },
        {
          head: columns.reason,
          cell: ({ reason }) => <State tone="warn" word={quarantine.reasons[reason]} />,
        },
        { head: columns.problem, cell: (entry) => <FirstIssue entry={entry} /> },
        {
          head: quarantine.seen,
          cell: ({ repeats, last_repeat_at, received_at }) => (
            <Seen times={repeats + 1} firstAt={received_at} lastAt={last_repeat_at ?? received_at} />
          ),
        },
      ]}
    />
  );
};

/** The time of a webhook, which leads to its page. */
export const EntryLink: FC<{ readonly entry: Pick<QuarantineView, 'id' | 'received_at'> }> = ({ entry }) => (
  <a href={`/quarantine/${entry.id}`}>
    <Time iso={entry.received_at} />
  </a>
);

/** How often a webhook came, when last, and whether it goes on. */
export const Seen: FC<{ readonly times: number; readonly firstAt: string; readonly lastAt: string }> = ({
  times,
  firstAt,
  lastAt,
}) => {
  const { words, format, now } = usePage();
  return (
    <>
      {words.quarantine.times(format.number(times), times === 1)}{' '}
      {times > 1 && <Time iso={lastAt} as="relative" />}{' '}
      {goesOn({ times, firstAt: Date.parse(firstAt), lastAt: Date.parse(lastAt) }, now) && (
        <State tone="warn" word={words.quarantine.arriving} />
      )}
    </>
  );
};

const FirstIssue: FC<{ readonly entry: QuarantineView }> = ({ entry: { issues, message } }) => (
  <>
    <span class="mono">{issues[0]?.path}</span> <Quoted text={issues[0]?.message ?? message} />
    {issues.length > 1 && <span class="soft"> +{issues.length - 1}</span>}
  </>
);

/** Held webhooks that belong to what a page shows, below a sentence that says so. */
export const HeldWebhooks: FC<{ readonly entries: readonly QuarantineView[]; readonly title: string }> = ({
  entries,
  title,
}) =>
  entries.length === 0 ? null : (
    <section class="held">
      <h2>{title}</h2>
      <EntryTable entries={entries} />
    </section>
  );
