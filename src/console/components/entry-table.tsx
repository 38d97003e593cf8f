/** Quarantined webhooks: their table, and what they say elsewhere in the console. */
import type { FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { QuarantineView } from '../../view/quarantine-view.ts';
import { usePage } from '../page.ts';
import { SubjectLink } from './event-cells.tsx';
import { Quoted } from './foreign-text.tsx';

/** Milliseconds after it was last seen for which a problem or a failure is said to go on. */
export const ARRIVING_MS = 600_000;

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
            <Seen times={repeats + 1} lastAt={last_repeat_at ?? received_at} />
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
export const Seen: FC<{ readonly times: number; readonly lastAt: string }> = ({ times, lastAt }) => {
  const { words, format, now } = usePage();
  return (
    <>
      {words.quarantine.times(format.number(times), times === 1)}{' '}
      {times > 1 && <Time iso={lastAt} as="relative" />}{' '}
      {now - Date.parse(lastAt) < ARRIVING_MS && <State tone="warn" word={words.quarantine.arriving} />}
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
