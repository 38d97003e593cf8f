/** The page of the audit. */
import type { FC } from 'hono/jsx';
import { subjectAddress } from '../components/event-cells.tsx';
import { Empty, Pager } from '../../pages/list.tsx';
import { BadFilter, Chip, ChoiceChip, TextChip, TimeChip } from '../components/filters.tsx';
import { State, type Tone } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { wordOf } from '../language/audit-actions.ts';
import { Frame } from '../frame.tsx';
import { cursorOf, momentParameter, readConditions } from '../list-filter.ts';
import { usePage } from '../page.ts';
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
    const { audit: words, columns, frame } = page.words;
    const { searchParams } = page.url;
    const conditions = auditConditionsWith(momentParameter(clock.now()));
    const { filter, ...wrong } = readConditions(conditions, page);
    const { rows, next } = await readPage(LIMIT, cursorOf(searchParams), async (limits) =>
      filter === undefined ? [] : store.audit(auditFilter(filter), { order: 'newest', ...limits }),
    );
    const isFiltered = searchParams.values().some((value) => value !== '');
    return c.html(
      <Frame page={page} current="audit" title={frame.names.audit}>
        <h1>{frame.names.audit}</h1>
        <p class="lead">{words.lead}</p>
        <form action="/audit" class="chips">
          <TextChip name="actor" label={words.who} />
          <ActionChip />
          <TextChip name="subject" label={words.about} hint={words.subjectHint} />
          <TimeChip problems={wrong.problems ?? {}} />
          <ChoiceChip
            name="place"
            label={columns.where}
            options={auditPlaces.map((place) => [place, words.places[place]])}
          />
          <ChoiceChip
            name="result"
            label={columns.result}
            options={auditResults.map((result) => [result, words.results[result]])}
          />
        </form>
        {wrong.problem !== undefined && <BadFilter wrong={wrong} />}
        {rows.length === 0 && filter !== undefined && (
          <Empty>{isFiltered ? words.emptyFiltered : words.empty}</Empty>
        )}
        {rows.length > 0 && <AuditTable entries={folded(rows.map(auditView))} />}
        <Pager next={next} />
        <p class="soft">
          {words.check}
          <code>portaria audit verify</code>
        </p>
      </Frame>,
      filter === undefined ? 400 : 200,
    );
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

const tones: Readonly<Record<AuditResult, Tone>> = {
  done: 'ok',
  failed: 'bad',
  rejected: 'warn',
  unfinished: 'warn',
};

const AuditTable: FC<{ readonly entries: readonly AuditView[] }> = ({ entries }) => {
  const { audit: words, columns, frame } = usePage().words;
  const nameOf = (actor: string | null) =>
    actor === null ? words.nobody : frame.visitor(printableLine(actor));
  return (
    <Table
      rows={entries}
      columns={[
        { head: words.when, cell: ({ at }) => <Time iso={at} /> },
        {
          head: words.who,
          cell: ({ actor, place, address }) => (
            <>
              {place === 'serve' ? 'Portaria' : nameOf(actor)}
              <br />
              <span class="soft">
                {words.places[place]}
                {address !== null && <span class="mono"> {printableLine(address)}</span>}
              </span>
            </>
          ),
        },
        {
          head: columns.what,
          cell: ({ action, unmasked }) => (
            <>
              <span title={printableLine(action)}>{wordOf(words.actions, printableLine(action))}</span>
              {unmasked && <br />}
              {unmasked && <State tone="warn" word={words.unmasked} />}
            </>
          ),
        },
        { head: words.about, cell: ({ subject }) => shownOf(subject).map((each) => <About fact={each} />) },
        { head: columns.why, cell: ({ reason }) => (reason === null ? '–' : printableLine(reason)) },
        {
          head: columns.result,
          cell: ({ result, status, times }) => (
            <>
              <State tone={tones[result]} word={words.results[result]} />
              {status !== null && result !== 'done' && <span class="soft mono"> {status}</span>}
              {times > 1 && <span class="soft"> {words.times(times)}</span>}
            </>
          ),
        },
      ]}
    />
  );
};

/** A name and its values, a line. Ids lead to what they name. */
const About: FC<{ readonly fact: readonly [name: string, value: string] }> = ({ fact: [name, value] }) => {
  const { audit, columns, delivery } = usePage().words;
  const isWord = name === 'plan' || name === 'status';
  const values = value
    .split(', ')
    .map((each) => (isWord ? wordOf({ ...delivery, ...audit.values }, each) : each));
  return (
    <div>
      <span class="soft">{wordOf({ ...columns, ...audit.names }, printableLine(name)).toLowerCase()}</span>{' '}
      <Values values={values.slice(0, SHOWN)} />
      {values.length > SHOWN && (
        <details class="more">
          <summary>+{values.length - SHOWN}</summary>
          <Values values={values.slice(SHOWN)} />
        </details>
      )}
    </div>
  );
};

/** The path says nothing where ids are named; it is all there is to say of a page. */
function shownOf(subject: AuditView['subject']): readonly (readonly [string, string])[] {
  const all = Object.entries(subject);
  const named = all.filter(([name, value]) => name !== 'path' && value !== '');
  return named.length > 0 && !('searched' in subject) ? named : all;
}

const Values: FC<{ readonly values: readonly string[] }> = ({ values }) => (
  <span class="mono">
    {values.map((value, index) => {
      const address = addressOf(value);
      const text = printableLine(value);
      return (
        <>
          {index > 0 && ', '}
          {address === null ? text : <a href={address}>{text}</a>}
        </>
      );
    })}
  </span>
);

/** The page of what an id names; null for what has none. */
function addressOf(value: string): string | null {
  if (/^[0-9a-z]{6}-\d+$/u.test(value)) return `/events/${value}`;
  if (/^q\d+$/u.test(value)) return `/quarantine/${value}`;
  if (/^\/(?:events|subjects|quarantine)\//u.test(value)) return value;
  return /^[a-z-]+:\S+$/u.test(value) && parseSubjectName(value) !== undefined ? subjectAddress(value) : null;
}
