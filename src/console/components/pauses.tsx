/** Shows pauses, and the forms that pause and resume. */
import type { FC } from 'hono/jsx';
import { FormToken } from '../../pages/document.tsx';
import { may, usePage, type Page } from '../page.ts';
import type { PauseView } from '../../view/pause-view.ts';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';

/** A pause, and how many deliveries wait for it. */
export interface ShownPause {
  readonly pause: PauseView;
  readonly waiting: { readonly deliveries: number; readonly more: boolean };
}

/** The pauses as a table, with a button that ends each. */
export const PauseTable: FC<{ readonly pauses: readonly ShownPause[] }> = ({ pauses }) => {
  const page = usePage();
  const { words, format } = page;
  return (
    <Table
      rows={pauses}
      columns={[
        { head: words.pauses.what, cell: ({ pause }) => <Scope pause={pause} /> },
        {
          head: words.pauses.why,
          cell: ({ pause: { reason, dead_letter: failed } }) =>
            failed === null ? reason : words.pauses.failed(failed),
        },
        { head: words.pauses.who, cell: ({ pause }) => pause.paused_by },
        { head: words.pauses.since, cell: ({ pause }) => <Time iso={pause.paused_at} as="relative" /> },
        {
          head: words.pauses.ends,
          cell: ({ pause: { until, dead_letter: failed } }) => {
            if (until !== null) return <Time iso={until} as="relative" />;
            return failed === null ? words.pauses.untilResumed : words.pauses.untilRetried;
          },
        },
        {
          head: words.pauses.waiting,
          as: 'number',
          cell: ({ waiting: { deliveries, more } }) =>
            more ? words.pauses.atLeast(format.number(deliveries)) : format.number(deliveries),
        },
        ...(may(page, 'operate')
          ? [{ head: words.pauses.resume, cell: ({ pause }: ShownPause) => <ResumeForm id={pause.id} /> }]
          : []),
      ]}
    />
  );
};

const Scope: FC<{ readonly pause: PauseView }> = ({ pause }) => {
  const { pauses } = usePage().words;
  const { handler, source, subject } = pause;
  const parts = [
    ['handler', handler],
    ['source', source],
    ['subject', subject],
  ] as const;
  return (
    <>
      {parts
        .filter(([, name]) => name !== null)
        .map(([part, name]) => (
          <div>
            <span class="soft">{pauses.scope[part]}</span>{' '}
            {part === 'subject' ? (
              <a class="mono" href={`/subjects/${encodeURIComponent(name ?? '')}`}>
                {name}
              </a>
            ) : (
              <span class="mono">{name}</span>
            )}
          </div>
        ))}
      {pause.acknowledged_at === null && <p class="soft">{pauses.notTaken}</p>}
    </>
  );
};

const ResumeForm: FC<{ readonly id: string }> = ({ id }) => {
  const page = usePage();
  return (
    <form method="post" action="/handlers/resume">
      <FormToken page={page} />
      <input type="hidden" name="back" value={`${page.url.pathname}${page.url.search}`} />
      <input type="hidden" name="pause" value={id} />
      <button>{page.words.pauses.resume}</button>
    </form>
  );
};

interface PauseFormProps {
  /** What the closed form says. */
  readonly open: string;
  /** The parts of the scope that the page knows. */
  readonly given?: Readonly<Partial<Record<'handler' | 'source' | 'subject', string>>>;
  /** The part that the visitor chooses, and from what. */
  readonly choose?: { readonly part: 'handler' | 'source'; readonly names: readonly string[] };
  readonly explain?: string;
}

/** A form that pauses, closed until it is needed. It asks for a reason. */
export const PauseForm: FC<PauseFormProps> = ({ open, given = {}, choose, explain }) => {
  const page = usePage();
  const words = page.words.pauses;
  if (!may(page, 'operate')) return null;
  return (
    <details class="act">
      <summary>{open}</summary>
      <form method="post" action="/handlers/pause" class="stack">
        <FormToken page={page} />
        <input type="hidden" name="back" value={`${page.url.pathname}${page.url.search}`} />
        {Object.entries(given).map(([part, name]) => (
          <input type="hidden" name={part} value={name} />
        ))}
        {choose !== undefined && (
          <label>
            <span>{words[choose.part]}</span>
            <select name={choose.part} required>
              {choose.names.map((name) => (
                <option>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span>{words.reason}</span>
          <input name="reason" required maxlength={500} autocomplete="off" />
        </label>
        <label>
          <span>{words.until}</span>
          <select name="until">
            {Object.entries(words.periods).map(([period, text]) => (
              <option value={period}>{text}</option>
            ))}
          </select>
        </label>
        <p class="soft">{explain ?? words.explain}</p>
        <button class="primary">{words.confirm}</button>
      </form>
    </details>
  );
};

/** A line for each pause that holds back what a page shows. */
export const PauseLines: FC<{ readonly pauses: readonly PauseView[] }> = ({ pauses }) => {
  const page = usePage();
  const { words } = page;
  return (
    <>
      {pauses.map((pause) => (
        <p class="notice warn">
          {pauseSentence(page, pause)}{' '}
          <a href="/handlers#pauses">{words.problems.action('/handlers#pauses')}</a>
        </p>
      ))}
    </>
  );
};

/** What is paused, by whom, since when and why. */
export function pauseSentence(page: Page, pause: PauseView): string {
  const { words, format, now } = page;
  const since = format.relative(pause.paused_at, now);
  if (pause.dead_letter !== null)
    return words.pauses.behind(scopeWords(page, pause), pause.dead_letter, since);
  return words.pauses.summary(scopeWords(page, pause), pause.paused_by, since, pause.reason);
}

/** What a pause covers, in words that begin a sentence: `Handler ledger, subject company:12`. */
function scopeWords({ words }: Pick<Page, 'words'>, { handler, source, subject }: PauseView): string {
  const { scope } = words.pauses;
  const text = [
    ...(handler === null ? [] : [`${scope.handler} ${handler}`]),
    ...(source === null ? [] : [`${scope.source} ${source}`]),
    ...(subject === null ? [] : [`${scope.subject} ${subject}`]),
  ].join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
