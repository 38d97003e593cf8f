/** Quarantined webhooks: their table, and what they say elsewhere in the console. */
import type { FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { HeldWebhook } from '../../operate/show/held-webhooks.ts';
import type { QuarantineView } from '../../view/quarantine-view.ts';
import { goesOn } from '../goes-on.ts';
import { usePage } from '../page.ts';
import { CompanyLink, subjectColumn } from './event-cells.tsx';
import { Quoted } from './foreign-text.tsx';

export const EntryTable: FC<{
  readonly entries: readonly HeldWebhook[];
  /** The numbers of companies by the ids of entries, where they are looked for. */
  readonly companies?: ReadonlyMap<string, string> | undefined;
}> = ({ entries, companies }) => {
  const { words } = usePage();
  const { quarantine, columns } = words;
  return (
    <Table
      rows={entries}
      id={({ id }) => id}
      columns={[
        { head: columns.received, cell: (entry) => <EntryLink entry={entry} /> },
        { head: columns.kind, as: 'code', cell: (entry) => <KindOf {...entry} /> },
        subjectColumn(),
        { head: columns.problem, cell: (entry) => <FirstIssue entry={entry} /> },
        {
          head: quarantine.seen,
          cell: ({ repeats, last_repeat_at, received_at, isAcceptedLater }) => (
            <>
              <Seen times={repeats + 1} firstAt={received_at} lastAt={last_repeat_at ?? received_at} />{' '}
              {isAcceptedLater && <State tone="ok" word={quarantine.later} />}
            </>
          ),
        },
        companies !== undefined && {
          head: columns.company,
          as: 'code',
          cell: ({ id }) => <CompanyLink company={companies.get(id) ?? null} />,
        },
      ]}
    />
  );
};

/** The kind of a webhook, marked where it is only what the body seems to say. */
export const KindOf: FC<{
  readonly kind: string | null;
  readonly isGuess: boolean;
  /** Further kinds. */
  readonly more?: number;
}> = ({ kind, isGuess, more = 0 }) => (
  <>
    {kind ?? '–'}
    {more > 0 && ` +${String(more)}`}
    {kind !== null && isGuess && <span class="soft"> ({usePage().words.quarantine.guess})</span>}
  </>
);

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
export const HeldWebhooks: FC<{ readonly entries: readonly HeldWebhook[]; readonly title: string }> = ({
  entries,
  title,
}) =>
  entries.length === 0 ? null : (
    <section class="held">
      <h2>{title}</h2>
      <EntryTable entries={entries} />
    </section>
  );
