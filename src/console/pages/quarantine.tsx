/** The pages of the quarantine. */
import type { FC } from 'hono/jsx';
import { ProblemGroups, type TriedProblem } from '../components/groups.tsx';
import { Json } from '../components/json.tsx';
import { Empty, Notice, Pager } from '../../pages/list.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { Quoted } from '../components/foreign-text.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { entryDiscardDetails, releaseDetails } from '../../view/change-details.ts';
import { addForm } from '../forms.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { cursorOf } from '../list-filter.ts';
import { addressWith } from '../../pages/base-page.ts';
import { may, usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { addDetails } from '../../access/audited-request.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { parseJson } from '../../kernel/json/parse-json.ts';
import { readPage } from '../../kernel/row-pages.ts';
import { discardQuarantine } from '../../operate/change/discard-quarantine.ts';
import { quarantineEntry } from '../../operate/show/quarantine-entry.ts';
import { releaseQuarantine } from '../../operate/change/release-quarantine.ts';
import { tryProblems } from '../../operate/change/try-problems.ts';
import { problemGroupView } from '../../view/failure-view.ts';
import {
  quarantineDetailView,
  quarantineView,
  type QuarantineDetailView,
  type QuarantineView,
} from '../../view/quarantine-view.ts';

/** Entries of a page. */
const LIMIT = 50;

/** Adds the list of quarantined webhooks, the page of one, and their release. */
export function addQuarantinePages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, dispatcher, pageOf, clock } = deps;

  app.get('/quarantine', async (c) => {
    const page = await pageOf(c);
    const problem = page.url.searchParams.get('problem') || undefined;
    const problems = (await tryProblems(deps))
      .filter(({ group }) => problem === undefined || group.problem === problem)
      .map(({ group, tried, passing }) => ({ ...problemGroupView(group), tried, passing }));
    const filter = { status: 'held', ...(problem !== undefined && { problem }) } as const;
    const { rows, next } = await readPage(LIMIT, cursorOf(page.url.searchParams), (limits) =>
      store.quarantined(filter, { order: 'newest', ...limits }),
    );
    const entries = rows.map(quarantineView);
    return c.html(<QuarantinePage page={page} problems={problems} entries={entries} next={next} />);
  });

  app.get('/quarantine/:id', async (c) => {
    const page = await pageOf(c);
    const entry = await quarantineEntry(store, c.req.param('id'));
    const [tried] =
      entry.status === 'held'
        ? await releaseQuarantine(deps, { filter: { ids: [entry.id] }, dryRun: true })
        : [];
    const isValid = tried === undefined ? null : tried.outcome === 'would-release';
    return c.html(<EntryPage page={page} entry={quarantineDetailView(entry, page)} isValid={isValid} />);
  });

  addForm(app, '/quarantine/release', { action: 'releaseQuarantine' }, async (c) => {
    const ids = c.get('fields').getAll('entry');
    const outcomes = await releaseQuarantine(deps, { filter: { ids }, dryRun: false });
    dispatcher.wake();
    const released = outcomes.filter(
      ({ outcome }) => outcome === 'released' || outcome === 'duplicate',
    ).length;
    const held = outcomes.filter(({ outcome }) => outcome === 'held').length;
    addDetails(c, releaseDetails(outcomes, ids));
    const [only, ...more] = ids;
    const back = only !== undefined && more.length === 0 ? `/quarantine/${only}` : '/quarantine';
    return c.redirect(`${back}?released=${String(released)}&held=${String(held)}`, 303);
  });

  addForm(app, '/quarantine/discard', { action: 'discardQuarantine' }, async (c) => {
    const fields = c.get('fields');
    const [ids, problem, upTo] = [fields.getAll('entry'), fields.get('problem'), fields.get('up_to')];
    const filter = {
      ...(ids.length > 0 && { ids }),
      ...(problem !== null && { problem }),
      ...(upTo !== null && { upTo }),
    };
    const reason = fields.get('reason') ?? '';
    const result = await discardQuarantine(store, { filter, reason, clock, dryRun: false });
    addDetails(c, entryDiscardDetails(result, filter.ids));
    return c.redirect(`/quarantine?discarded=${String(result.discarded.length)}`, 303);
  });
}

/** What cannot become an event is removed, with a reason. An entry that came after the page was read is not. */
const DiscardForm: FC<{
  readonly page: Page;
  readonly count: number;
  readonly fields: Readonly<Record<string, string>>;
}> = ({ page, count, fields }) => {
  const words = page.words.quarantine;
  if (!may(page, 'operate') || count === 0) return null;
  return (
    <details class="act">
      <summary>{words.discard(count)}</summary>
      <form method="post" action="/quarantine/discard" class="stack">
        <FormToken page={page} />
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          <span>{words.discardReason}</span>
          <input name="reason" required maxlength={500} autocomplete="off" />
        </label>
        <p class="soft">{words.discardExplain}</p>
        <button class="primary">{words.discardConfirm(count)}</button>
      </form>
    </details>
  );
};

/** What the discard that led here did. */
const DiscardNotice: FC = () => {
  const { url, words } = usePage();
  const discarded = url.searchParams.get('discarded');
  if (discarded === null) return null;
  return (
    <Notice tone={discarded === '0' ? 'warn' : 'ok'}>{words.quarantine.discarded(Number(discarded))}</Notice>
  );
};

/** What the release that led here did. */
const ReleaseNotice: FC = () => {
  const { url, words } = usePage();
  const released = url.searchParams.get('released');
  if (released === null) return null;
  const held = Number(url.searchParams.get('held'));
  return <Notice tone={held > 0 ? 'warn' : 'ok'}>{words.quarantine.outcomes(Number(released), held)}</Notice>;
};

interface QuarantineProps {
  readonly page: Page;
  readonly problems: readonly TriedProblem[];
  readonly entries: readonly QuarantineView[];
  readonly next: string | null;
}

const QuarantinePage: FC<QuarantineProps> = ({ page, problems, entries, next }) => {
  const words = page.words.quarantine;
  const { groups } = page.words;
  const held = problems.reduce((sum, each) => sum + each.entries, 0);
  const problem = page.url.searchParams.get('problem');
  const isStuck =
    held > 0 && problems.every(({ passing, tried, entries: all }) => passing === 0 && tried === all);
  const only = problem === null ? undefined : problems.find((each) => each.problem === problem);
  return (
    <Frame page={page} current="quarantine" title={words.title}>
      <h1>{held === 0 ? words.title : groups.problems(held)}</h1>
      <p class="lead">
        {words.lead} {problem !== null && <a href="/quarantine">{groups.allProblems}</a>}
      </p>
      <ReleaseNotice />
      <DiscardNotice />
      {entries.length === 0 && <Empty>{words.none}</Empty>}
      {problems.length > 0 && <ProblemGroups groups={problems} />}
      {isStuck && <p class="soft">{groups.noneValid(held)}</p>}
      {entries.length > 0 && !isStuck && may(page, 'operate') && (
        <p class="actions">
          <a class="button primary" href={planAddress('release', problem === null ? {} : { problem })}>
            {groups.releaseAll}
          </a>
        </p>
      )}
      {only !== undefined && (
        <DiscardForm
          page={page}
          count={only.entries}
          fields={{ problem: only.problem, up_to: only.sample.id }}
        />
      )}
      {entries.length > 0 && <h2>{groups.held}</h2>}
      {entries.length > 0 && <EntryTable entries={entries} />}
      {entries.length > 0 && may(page, 'operate') && (
        <form method="post" action="/quarantine/release" class="actions">
          <FormToken page={page} />
          {entries.map(({ id }) => (
            <input type="hidden" name="entry" value={id} />
          ))}
          <button>{words.releaseShown(entries.length)}</button>
        </form>
      )}
      <Pager next={next} />
    </Frame>
  );
};

const EntryTable: FC<{ readonly entries: readonly QuarantineView[] }> = ({ entries }) => {
  const { words } = usePage();
  return (
    <Table
      rows={entries}
      id={({ id }) => id}
      columns={[
        {
          head: words.quarantine.received,
          cell: ({ id, received_at }) => (
            <a href={`/quarantine/${id}`}>
              <Time iso={received_at} />
            </a>
          ),
        },
        { head: words.events.kind, as: 'code', cell: ({ kind }) => kind ?? '–' },
        {
          head: words.quarantine.reason,
          cell: ({ reason }) => <State tone="warn" word={words.quarantine.reasons[reason]} />,
        },
        { head: words.quarantine.problem, cell: (entry) => <FirstIssue entry={entry} /> },
      ]}
    />
  );
};

const FirstIssue: FC<{ readonly entry: QuarantineView }> = ({ entry: { issues, message } }) => (
  <>
    <span class="mono">{issues[0]?.path}</span> <Quoted text={issues[0]?.message ?? message} />
    {issues.length > 1 && <span class="soft"> +{issues.length - 1}</span>}
  </>
);

const EntryPage: FC<{
  readonly page: Page;
  readonly entry: QuarantineDetailView;
  /** Whether the current contract lets it through; null for one that is not held. */
  readonly isValid: boolean | null;
}> = ({ page, entry, isValid }) => {
  const words = page.words.quarantine;
  const title = words.reasons[entry.reason];
  return (
    <Frame page={page} current="quarantine" title={words.entry(entry.id)}>
      <h1>{title.charAt(0).toUpperCase() + title.slice(1)}</h1>
      <p>
        <Quoted text={entry.message} />
      </p>
      <p class="lead mono">
        {entry.id} · {entry.kind ?? '–'} · {entry.source} · <Time iso={entry.received_at} />
      </p>
      <ReleaseNotice />
      <p>
        <State
          tone={entry.status === 'held' ? 'warn' : 'ok'}
          word={entry.status === 'held' ? words.held : words.released}
        />{' '}
        {isValid !== null && (
          <State tone={isValid ? 'ok' : 'off'} word={page.words.groups.validNow(isValid)} />
        )}{' '}
        {entry.event_id !== null && (
          <>
            {words.becameEvent} <a href={`/events/${entry.event_id}`}>{entry.event_id}</a>
          </>
        )}
      </p>
      {entry.issues.length > 0 && <Issues entry={entry} />}
      <h2>
        {words.body}{' '}
        <span class="soft">{page.words.event.bytes(page.format.bytes(entry.body_bytes), entry.masked)}</span>
      </h2>
      <div class="sheet">
        <Body entry={entry} />
      </div>
      <div class="actions">
        {may(page, 'operate') && entry.status === 'held' && (
          <form method="post" action="/quarantine/release">
            <FormToken page={page} />
            <input type="hidden" name="entry" value={entry.id} />
            <button class="primary">{words.release}</button>
          </form>
        )}
        {may(page, 'unmask') && (
          <a class="button" href={addressWith(page.url, { unmask: entry.masked ? 'true' : null })}>
            {entry.masked ? page.words.event.unmask : page.words.event.mask}
          </a>
        )}
      </div>
      {entry.status === 'held' && <DiscardForm page={page} count={1} fields={{ entry: entry.id }} />}
    </Frame>
  );
};

const Issues: FC<{ readonly entry: QuarantineDetailView }> = ({ entry }) => {
  const words = usePage().words.quarantine;
  return (
    <>
      <h2>{words.issues}</h2>
      <Table
        rows={entry.issues}
        columns={[
          { head: words.path, as: 'code', cell: ({ path }) => path },
          { head: words.message, cell: ({ message }) => <Quoted text={message} /> },
        ]}
      />
    </>
  );
};

const Body: FC<{ readonly entry: QuarantineDetailView }> = ({ entry }) => {
  if (entry.body === null) return <p class="soft">{usePage().words.quarantine.notJson}</p>;
  const value = jsonOrText(entry.body);
  return typeof value === 'string' ? <pre>{value}</pre> : <Json value={value} />;
};

function jsonOrText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
