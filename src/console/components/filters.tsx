/** The filters of lists as chips: closed, each says what it selects; open, it has its fields. */
import type { Child, FC } from 'hono/jsx';
import { addressWith } from '../../pages/base-page.ts';
import { Choice, Notice, TextFilter } from '../../pages/list.tsx';
import { Time } from '../../pages/time.tsx';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/time/durations.ts';
import { instantOf, type FieldProblems, type Unread } from '../list-filter.ts';
import type { Words } from '../language/words.ts';
import { usePage } from '../page.ts';
import { Refused } from './foreign-text.tsx';

/** Periods before now that are one click away. */
const periods = { '15m': 15 * MINUTE_MS, '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS };

interface ChipProps {
  readonly label: string;
  /** The parameters of the address that it holds. */
  readonly names: readonly string[];
  /** What it selects, where that is not what the address says. */
  readonly shown?: Child;
  readonly isWrong?: boolean;
  readonly children?: Child;
}

/** Some filters, behind a name. Only one is open at a time. */
export const Chip: FC<ChipProps> = ({ label, names, shown, isWrong = false, children }) => {
  const { words, url } = usePage();
  const values = names.flatMap((name) => url.searchParams.getAll(name)).filter((value) => value !== '');
  return (
    <div class="chip">
      <details name="chips" open={isWrong}>
        <summary>
          {label} {values.length > 0 && <b>{shown ?? <code>{values.join(', ')}</code>}</b>}
        </summary>
        <div class="panel">
          {children}
          <button>{words.list.filter}</button>
        </div>
      </details>
      {values.length > 0 && (
        <a
          href={addressWith(url, Object.fromEntries(names.map((name) => [name, null])))}
          aria-label={words.list.without(label)}
        >
          ×
        </a>
      )}
    </div>
  );
};

/** That a filter was not applied, and why. */
export const BadFilter: FC<{ readonly wrong: Unread }> = ({ wrong: { problem, problems } }) => (
  <Notice tone="bad">
    {usePage().words.events.badFilter} {Object.values(problems)[0] ?? <Refused wrong={problem} />}
  </Notice>
);

/** A chip with one field. */
export const TextChip: FC<Parameters<typeof TextFilter>[0]> = (field) => (
  <Chip label={field.label} names={[field.name]} isWrong={field.problem !== undefined}>
    <TextFilter {...field} />
  </Chip>
);

/** The states of deliveries, as choices. */
export const statusChoices = ({ delivery, events }: Words) =>
  (['dead', 'pending', 'running', 'succeeded', 'skipped'] as const).map(
    (status) => [status, status === 'skipped' ? events.notRun : delivery[status]] as const,
  );

/** A chip with a few values. */
export const ChoiceChip: FC<Parameters<typeof Choice>[0]> = (field) => {
  const chosen = usePage().url.searchParams.get(field.name);
  const [, shown] = field.options.find(([value]) => value === chosen) ?? [];
  return (
    <Chip label={field.label} names={[field.name]} shown={shown}>
      <Choice {...field} />
    </Chip>
  );
};

/** A period: the last minutes, hours or days, or two times. */
export const TimeChip: FC<{ readonly problems?: FieldProblems }> = ({ problems = {} }) => {
  const { words, format, url, now } = usePage();
  const [since = '', until = ''] = ['since', 'until'].map((name) =>
    shownTime(url.searchParams.get(name) ?? '', now),
  );
  const text = (given: string) =>
    given.endsWith('Z') && instantOf(given, now) !== undefined ? <Time iso={given} /> : given;
  return (
    <Chip
      label={words.list.time}
      names={['since', 'until']}
      isWrong={problems['since'] !== undefined || problems['until'] !== undefined}
      shown={
        <>
          {text(since)} {until !== '' && <>– {text(until)}</>}
        </>
      }
    >
      <p class="choices">
        {Object.entries(periods).map(([period, ms]) => (
          <a
            href={addressWith(url, { since: period, until: null })}
            {...(url.searchParams.get('since') === period && { 'aria-current': 'true' as const })}
          >
            {format.duration(ms)}
          </a>
        ))}
      </p>
      <TimeFields problems={problems} />
      <TimeNote />
    </Chip>
  );
};

/** Kinds, and the families of kinds, of the contract; any other may be typed. */
export const KindChip: FC = () => {
  const { words, contract } = usePage();
  const kinds = contract.kinds.map(({ kind }) => kind);
  const known = [...new Set(kinds.map((kind) => `${kind.split('.')[0] ?? ''}.*`)), ...kinds];
  return <TextChip name="kind" label={words.columns.kind} hint={words.events.kindHint} known={known} />;
};

/** Those that the process knows; a store may have others. */
export const SourceFilter: FC = () => {
  const { words, contract } = usePage();
  const known = ['default', ...contract.sources.map(({ name }) => name)];
  return <TextFilter name="source" label={words.columns.source} known={known} />;
};

export const VerdictFilter: FC = () => {
  const { words } = usePage();
  const verdicts = (['new', 'stale', 'ambiguous'] as const).map(
    (verdict) => [verdict, words.verdict[verdict]] as const,
  );
  return <Choice name="verdict" label={words.columns.verdict} options={verdicts} />;
};

/**
 * Two filters that are times. They show the instants that the address means: the script rewrites them into the zone of
 * the browser, and what is typed back into instants.
 */
export const TimeFields: FC<{ readonly problems: FieldProblems }> = ({ problems }) => {
  const { words, url, now } = usePage();
  const fieldOf = (name: 'since' | 'until') => ({
    ...{ name, label: words.columns[name], hint: words.list.timeHint, problem: problems[name] },
    value: shownTime(url.searchParams.get(name) ?? '', now),
  });
  return (
    <>
      <TextFilter {...fieldOf('since')} of="time" />
      <TextFilter {...fieldOf('until')} of="time" />
    </>
  );
};

/** How times are written in the fields of a form, and in which zone. */
export const TimeNote: FC = () => {
  const { words, format } = usePage();
  return (
    <p class="soft note">
      {words.list.timeNote} <span data-zone="name">{format.zone}</span>.
    </p>
  );
};

/** A period stays as it was written: it moves with the time of the reader. */
function shownTime(given: string, now: number): string {
  const ms = /^\d{4}-/u.test(given.trim()) ? instantOf(given.trim(), now) : undefined;
  return ms === undefined ? given : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
