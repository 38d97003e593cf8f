/** The list of the quarantine, and what is done with its entries. */
import type { FC } from 'hono/jsx';
import { isUnreadable, ProblemGroups, type TriedProblem } from '../../components/groups.tsx';
import { EntryTable } from '../../components/entry-table.tsx';
import { Empty, Pager } from '../../../pages/list.tsx';
import type { ConsoleApp, PagesDeps } from '../../console-deps.ts';
import { EntryPage, type ShownEntry } from './entry.tsx';
import { DiscardForm, DiscardNotice, MAX_LISTED, ReleaseNotice, SenderReport } from './forms.tsx';
import { entryDiscardDetails, releaseDetails } from '../../../view/change-details.ts';
import { addForm } from '../../forms.ts';
import { FormToken } from '../../../pages/document.tsx';
import { Frame } from '../../frame.tsx';
import { cursorOf } from '../../list-filter.ts';
import { may, type Page } from '../../page.ts';
import { asLatin1, withLikelyNames, wrongByte } from '../../latin1.ts';
import { planAddress } from '../../plan-address.ts';
import { addDetails } from '../../../access/audited-request.ts';
import { readPage } from '../../../kernel/row-pages.ts';
import { discardQuarantine } from '../../../operate/change/discard-quarantine.ts';
import { quarantineEntry } from '../../../operate/show/quarantine-entry.ts';
import { releaseQuarantine } from '../../../operate/change/release-quarantine.ts';
import { tryProblems } from '../../../operate/change/try-problems.ts';
import { problemGroupView } from '../../../view/failure-view.ts';
import { quarantineDetailView, quarantineView, type QuarantineView } from '../../../view/quarantine-view.ts';

/** Entries of a page. */
const LIMIT = 20;

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
    const named = { store, contract: page.contract };
    const entries = (await withLikelyNames(named, rows)).map(quarantineView);
    const of = problem === undefined ? undefined : problems[0]?.sample.id;
    const sample = of === undefined ? null : await shownEntry(deps, of, page);
    const reported =
      of === undefined ? [] : await store.quarantined(filter, { order: 'newest', limit: MAX_LISTED });
    return c.html(
      <QuarantinePage
        {...{ page, problems, entries, next, sample }}
        reported={(await withLikelyNames(named, reported)).map(quarantineView)}
      />,
    );
  });

  app.get('/quarantine/:id', async (c) => {
    const page = await pageOf(c);
    const shown = await shownEntry(deps, c.req.param('id'), page);
    const { id, status } = shown.entry;
    const [tried] =
      status === 'held' ? await releaseQuarantine(deps, { filter: { ids: [id] }, dryRun: true }) : [];
    const isValid = tried === undefined ? null : tried.outcome === 'would-release';
    return c.html(<EntryPage page={page} {...shown} isValid={isValid} />);
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

/** An entry as its page shows it: one that is not UTF-8 as Latin-1, where that can be read. */
async function shownEntry({ store }: PagesDeps, id: string, page: Page): Promise<ShownEntry> {
  const stored = await quarantineEntry(store, id);
  const wrong = wrongByte(stored.body);
  const read = wrong === null ? null : asLatin1(stored, page.contract);
  const entry = quarantineDetailView(read ?? stored, page);
  return { entry: { ...entry, body_bytes: stored.body.byteLength }, wrong };
}

interface QuarantineProps {
  readonly page: Page;
  readonly problems: readonly TriedProblem[];
  readonly entries: readonly QuarantineView[];
  readonly next: string | null;
  /** The newest webhook of the problem that the page is about. */
  readonly sample: ShownEntry | null;
  /** The webhooks of the problem that a report lists. */
  readonly reported: readonly QuarantineView[];
}

const QuarantinePage: FC<QuarantineProps> = ({ page, problems, entries, next, sample, reported }) => {
  const words = page.words.quarantine;
  const { groups, columns } = page.words;
  const held = problems.reduce((sum, each) => sum + each.entries, 0);
  const problem = page.url.searchParams.get('problem');
  const tried = problems.reduce((sum, each) => sum + (isUnreadable(each) ? each.entries : each.tried), 0);
  const isStuck = problems.length > 0 && problems.every((each) => each.passing === 0 && each.tried > 0);
  const only = problem === null ? undefined : problems.find((each) => each.problem === problem);
  return (
    <Frame page={page} current="quarantine" title={page.words.frame.names.quarantine}>
      <h1>{held === 0 ? page.words.frame.names.quarantine : groups.problems(held)}</h1>
      <p class="lead">
        {words.lead} {problem !== null && <a href="/quarantine">{groups.allProblems}</a>}
      </p>
      <ReleaseNotice />
      <DiscardNotice />
      {entries.length === 0 && <Empty>{words.none}</Empty>}
      {problems.length > 0 && <ProblemGroups groups={problems} />}
      {isStuck && <p class="soft">{groups.noneValid(tried, held)}</p>}
      {entries.length > 0 && !(isStuck && tried === held) && may(page, 'operate') && (
        <p class="actions">
          <a
            class={isStuck ? 'soft' : 'button primary'}
            href={planAddress('release', problem === null ? {} : { problem })}
          >
            {isStuck ? groups.tryAll(held) : groups.releaseAll}
          </a>
        </p>
      )}
      {only !== undefined && sample !== null && (
        <SenderReport
          sample={sample.entry}
          wrong={sample.wrong}
          webhooks={reported}
          all={{ count: only.entries, firstAt: only.first_at, lastAt: only.last_at }}
        />
      )}
      {only !== undefined && (
        <DiscardForm
          page={page}
          count={only.entries}
          fields={{ problem: only.problem, up_to: only.sample.id }}
        />
      )}
      {entries.length > 0 && <h2>{columns.webhooks}</h2>}
      {entries.length > 0 && <EntryTable entries={entries} />}
      {entries.length > 0 && !isStuck && may(page, 'operate') && (
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
