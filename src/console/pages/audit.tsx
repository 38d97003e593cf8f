/** The page of the audit. */
import type { FC } from 'hono/jsx';
import { subjectAddress } from '../components/event-cells.tsx';
import { Empty, Notice, Pager } from '../../pages/list.tsx';
import { Chip, ChoiceChip, TextChip, TimeChip } from '../components/filters.tsx';
import { State, type Tone } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { Quoted } from '../components/foreign-text.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { wordOf } from '../language/audit-actions.ts';
import { Frame } from '../frame.tsx';
import { cursorOf, momentParameter, readConditions } from '../list-filter.ts';
import { usePage, type Page } from '../page.ts';
import { parseSubjectName } from '../../event/subject.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import { readPage } from '../../kernel/row-pages.ts';
import { auditPlaces, auditResults, type AuditResult } from '../../store/audit.ts';
import { auditView, type AuditView } from '../../view/audit-view.ts';
import { auditConditionsWith, auditFilter } from '../../view/parameters/conditions.ts';

/** Entries of a page. */
const LIMIT = 25;

/** Ids of an entry that are shown; the others are behind a fold. */
const SHOWN = 6;

/** Adds the page of what operators did. */
export function addAuditPage(app: ConsoleApp, { store, clock, pageOf }: PagesDeps): void {
  app.get('/audit', async (c) => {
    const page = await pageOf(c);
    const conditions = auditConditionsWith(momentParameter(clock.now()));
    const { filter, problem } = readConditions(conditions, page.url.searchParams);
    if (filter === undefined)
      return c.html(<AuditPage page={page} entries={[]} next={null} problem={problem} />, 400);
    const { rows, next } = await readPage(LIMIT, cursorOf(page.url.searchParams), (limits) =>
      store.audit(auditFilter(filter), { order: 'newest', ...limits }),
    );
    return c.html(<AuditPage page={page} entries={folded(rows.map(auditView))} next={next} />);
  });
}

/** What looks at pages have in common that become one entry. */
const SAME_LOOK = ['action', 'actor', 'address', 'unmasked', 'result'] as const;

/** Looks of one visitor in a row become one entry, with what was looked at. */
function folded(entries: readonly AuditView[]): readonly AuditView[] {
  const rows: AuditView[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    const isSame = SAME_LOOK.every((name) => entry[name] === last?.[name]);
    if (last === undefined || entry.action !== 'showPage' || !isSame) rows.push(entry);
    else
      rows[rows.length - 1] = {
        ...last,
        times: last.times + entry.times,
        subject: joined(last.subject, entry.subject),
      };
  }
  return rows;
}

/** Two subjects as one: the values of both, each once. */
function joined(one: AuditView['subject'], other: AuditView['subject']): AuditView['subject'] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const values = (name: string) => [one, other].flatMap((each) => each[name]?.split(', ') ?? []);
  return Object.fromEntries(names.map((name) => [name, [...new Set(values(name))].join(', ')]));
}

interface AuditProps {
  readonly page: Page;
  readonly entries: readonly AuditView[];
  readonly next: string | null;
  readonly problem?: string;
}

const AuditPage: FC<AuditProps> = ({ page, entries, next, problem }) => {
  const words = page.words.audit;
  const isFiltered = page.url.searchParams.values().some((value) => value !== '');
  return (
    <Frame page={page} current="audit" title={page.words.frame.names.audit}>
      <h1>{page.words.frame.names.audit}</h1>
      <p class="lead">{words.lead}</p>
      <AuditFilters />
      {problem !== undefined && (
        <Notice tone="bad">
          {page.words.events.badFilter} <Quoted text={problem} />
        </Notice>
      )}
      {entries.length === 0 && problem === undefined && (
        <Empty>{isFiltered ? words.emptyFiltered : words.empty}</Empty>
      )}
      {entries.length > 0 && <AuditTable entries={entries} />}
      <Pager next={next} />
      <p class="soft">
        {words.check}
        <code>portaria audit verify</code>
      </p>
    </Frame>
  );
};

const AuditFilters: FC = () => {
  const { audit, columns } = usePage().words;
  return (
    <form action="/audit" class="chips">
      <TextChip name="actor" label={audit.who} />
      <ActionChip />
      <TextChip name="subject" label={audit.about} hint={audit.subjectHint} />
      <TimeChip />
      <ChoiceChip
        name="place"
        label={columns.where}
        options={auditPlaces.map((place) => [place, audit.places[place]])}
      />
      <ChoiceChip
        name="result"
        label={columns.result}
        options={auditResults.map((result) => [result, audit.results[result]])}
      />
    </form>
  );
};

/** What was done, by what it was done to. */
const ActionChip: FC = () => {
  const { words, url } = usePage();
  const { actions, groups } = words.audit;
  const chosen = url.searchParams.get('action') ?? '';
  const listed = Object.entries(actions);
  const begins = Object.keys(groups).map((first) => listed.findIndex(([action]) => action === first));
  return (
    <Chip label={words.columns.what} names={['action']} shown={wordOf(actions, printableLine(chosen))}>
      <select name="action" aria-label={words.columns.what}>
        <option value="">{words.list.any}</option>
        {Object.values(groups).map((group, at) => (
          <optgroup label={group}>
            {listed.slice(begins[at], begins[at + 1]).map(([action, word]) => (
              <option value={action} selected={action === chosen}>
                {word}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </Chip>
  );
};

const AuditTable: FC<{ readonly entries: readonly AuditView[] }> = ({ entries }) => {
  const { audit: words, columns } = usePage().words;
  return (
    <Table
      rows={entries}
      columns={[
        { head: words.when, cell: ({ at }) => <Time iso={at} /> },
        { head: words.who, cell: (entry) => <Who entry={entry} /> },
        { head: columns.what, cell: (entry) => <What entry={entry} /> },
        { head: words.about, cell: ({ subject }) => <About subject={subject} /> },
        { head: columns.why, cell: ({ reason }) => (reason === null ? '–' : printableLine(reason)) },
        { head: columns.result, cell: (entry) => <Result entry={entry} /> },
      ]}
    />
  );
};

const Who: FC<{ readonly entry: AuditView }> = ({ entry: { actor, place, address } }) => {
  const { words } = usePage();
  const name = actor === null ? words.audit.nobody : words.frame.visitor(printableLine(actor));
  return (
    <div>
      {place === 'serve' ? 'Portaria' : name}
      <br />
      <span class="soft">
        {words.audit.places[place]}
        {address !== null && <span class="mono"> {printableLine(address)}</span>}
      </span>
    </div>
  );
};

const What: FC<{ readonly entry: AuditView }> = ({ entry: { action, unmasked } }) => (
  <div>
    <span title={printableLine(action)}>{wordOf(usePage().words.audit.actions, printableLine(action))}</span>
    {unmasked && (
      <>
        <br />
        <State tone="warn" word={usePage().words.audit.unmasked} />
      </>
    )}
  </div>
);

const tones: Readonly<Record<AuditResult, Tone>> = {
  done: 'ok',
  failed: 'bad',
  rejected: 'warn',
  unfinished: 'warn',
};

const Result: FC<{ readonly entry: AuditView }> = ({ entry: { result, status, times } }) => {
  const words = usePage().words.audit;
  return (
    <div>
      <State tone={tones[result]} word={words.results[result]} />
      {status !== null && result !== 'done' && <span class="soft mono"> {status}</span>}
      {times > 1 && <span class="soft"> {words.times(times)}</span>}
    </div>
  );
};

/** Names and values. Ids lead to what they name. */
const About: FC<{ readonly subject: AuditView['subject'] }> = ({ subject }) => (
  <div>
    {shownOf(subject).map(([name, value], index) => {
      const { names, values: known } = usePage().words.audit;
      const isWord = name === 'plan' || name === 'status';
      const values = value.split(', ').map((each) => (isWord ? wordOf(known, each) : each));
      return (
        <>
          {index > 0 && <br />}
          <span class="soft">{wordOf(names, printableLine(name))}</span>{' '}
          <Values values={values.slice(0, SHOWN)} />
          {values.length > SHOWN && (
            <details class="more">
              <summary>+{values.length - SHOWN}</summary>
              <Values values={values.slice(SHOWN)} />
            </details>
          )}
        </>
      );
    })}
  </div>
);

/** The path says nothing where ids are named; it is all there is to say of a page. */
function shownOf(subject: AuditView['subject']): readonly (readonly [string, string])[] {
  const all = Object.entries(subject);
  const named = all.filter(([name, value]) => name !== 'path' && value !== '');
  return named.length > 0 && !('searched' in subject) ? named : all;
}

const Values: FC<{ readonly values: readonly string[] }> = ({ values }) => (
  <span class="mono">
    {values.map((value, index) => (
      <>
        {index > 0 && ', '}
        <Value value={value} />
      </>
    ))}
  </span>
);

const Value: FC<{ readonly value: string }> = ({ value }) => {
  const text = printableLine(value);
  const address = addressOf(value);
  return address === null ? <>{text}</> : <a href={address}>{text}</a>;
};

/** The page of what an id names; null for what has none. */
function addressOf(value: string): string | null {
  if (/^[0-9a-z]{6}-\d+$/u.test(value)) return `/events/${value}`;
  if (/^q\d+$/u.test(value)) return `/quarantine/${value}`;
  if (/^\/(?:events|subjects|quarantine)\//u.test(value)) return value;
  return /^[a-z-]+:\S+$/u.test(value) && parseSubjectName(value) !== undefined ? subjectAddress(value) : null;
}
