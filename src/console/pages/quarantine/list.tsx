/** The list of the quarantine, and what is done with its entries. */
import type { FC } from 'hono/jsx';
import { ProblemGroups, type HeldGroup } from '../../components/groups.tsx';
import { EntryTable } from '../../components/entry-table.tsx';
import { Empty, Notice, Pager } from '../../../pages/list.tsx';
import type { ConsoleApp, PagesDeps } from '../../console-deps.ts';
import { EntryPage, GonePage, type ShownEntry } from './entry.tsx';
import { senderReport } from '../../sender-report.ts';
import { DiscardForm, SenderReport } from './forms.tsx';
import { entryDiscardDetails, releaseDetails } from '../../../view/change-details.ts';
import { EVENTS_FILE } from '../../event-rows.ts';
import { addForm } from '../../forms.ts';
import { Frame } from '../../frame.tsx';
import { cursorOf } from '../../list-filter.ts';
import { may, usePage, type Page } from '../../page.ts';
import { planAddress } from '../../plan-address.ts';
import { addDetails } from '../../../access/audited-request.ts';
import { readPage } from '../../../kernel/row-pages.ts';
import { discardQuarantine } from '../../../operate/change/discard-quarantine.ts';
import { isUnreadable } from '../../../event/delivery.ts';
import { companiesOfHeld } from '../../../operate/show/companies-of.ts';
import {
  heldOfProblem,
  heldWebhooks,
  markLater,
  type HeldWebhook,
} from '../../../operate/show/held-webhooks.ts';
import { likelyMeant, wrongByte } from '../../../operate/show/likely-meant.ts';
import { quarantineEntry } from '../../../operate/show/quarantine-entry.ts';
import { releaseQuarantine } from '../../../operate/change/release-quarantine.ts';
import { tryRelease } from '../../../jobs/make-plan.ts';
import { tryProblems } from '../../../operate/change/try-problems.ts';
import { problemGroupView } from '../../../view/failure-view.ts';
import { quarantineDetailView } from '../../../view/quarantine-view.ts';

/** Entries of a page. */
const LIMIT = 20;

/** Adds the list of quarantined webhooks, the page of one, and their release. */
export function addQuarantinePages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, dispatcher, pageOf, clock } = deps;

  app.get('/quarantine', async (c) => {
    const page = await pageOf(c);
    const problem = page.url.searchParams.get('problem') || undefined;
    const known = { store, contract: page.contract };
    const groups = await Promise.all(
      (await tryProblems(deps))
        .filter(({ group }) => problem === undefined || group.problem === problem)
        .map(async ({ group, tried, passing }) => {
          const view = problemGroupView(group);
          return {
            ...view,
            tried: isUnreadable(view.message) ? view.entries : tried,
            passing,
            // Of a problem that is not tried, a page does not read hundreds of entries, either.
            held: tried === 0 && problem === undefined ? [] : await heldOfProblem(known, view.problem),
          };
        }),
    );
    const filter = { status: 'held', ...(problem !== undefined && { problem }) } as const;
    const { rows, next } = await readPage(LIMIT, cursorOf(page.url.searchParams), (limits) =>
      store.quarantined(filter, { order: 'newest', ...limits }),
    );
    const entries = await heldWebhooks(known, rows);
    const [of] = problem === undefined ? [] : groups;
    const only = of === undefined ? null : { group: of, sample: await shownEntry(deps, of.sample.id, page) };
    const companies = only === null ? undefined : await companiesOfHeld(entries, known);
    return c.html(<QuarantinePage {...{ page, groups, entries, companies, next, only }} />);
  });

  app.get('/quarantine/:id', async (c) => {
    const page = await pageOf(c);
    const asked = c.req.param('id');
    const [gone] = await store.droppedFromQuarantine([asked]);
    if (gone !== undefined) {
      const discards = { action: 'discardQuarantine', subject: gone, result: 'done' } as const;
      const [discard] = await store.audit(discards, { order: 'newest', limit: 1 });
      return c.html(<GonePage {...{ page, id: gone, discard }} />, 404);
    }
    const shown = await shownEntry(deps, asked, page);
    const { id, status } = shown.entry;
    const tried = status === 'held' ? await tryRelease(deps, { ids: [id] }) : null;
    return c.html(<EntryPage page={page} {...shown} tried={tried} />);
  });

  addForm(app, '/quarantine/release', { action: 'releaseQuarantine' }, async (c) => {
    const ids = c.get('fields').getAll('entry');
    const outcomes = await releaseQuarantine(deps, { filter: { ids }, dryRun: false });
    dispatcher.wake();
    addDetails(c, releaseDetails(outcomes, ids));
    return c.redirect(`/quarantine/${ids[0] ?? ''}`, 303);
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

/** An entry as its page shows it: one that cannot be read as what it seems to say. */
async function shownEntry({ store }: PagesDeps, id: string, page: Page): Promise<ShownEntry> {
  const stored = await quarantineEntry(store, id);
  const named = likelyMeant(stored, page.contract);
  const [held] = await markLater(store, [named]);
  return {
    entry: { ...quarantineDetailView(named, page), body_bytes: stored.body.byteLength },
    wrong: wrongByte(stored.body),
    isGuess: held?.isGuess === true,
    isAcceptedLater: held?.isAcceptedLater === true,
  };
}

interface QuarantineProps {
  readonly page: Page;
  readonly groups: readonly HeldGroup[];
  readonly entries: readonly HeldWebhook[];
  /** The companies of the webhooks with one problem. */
  readonly companies: ReadonlyMap<string, string> | undefined;
  readonly next: string | null;
  /** The problem that the page is about, and its newest webhook. */
  readonly only: { readonly group: HeldGroup; readonly sample: ShownEntry } | null;
}

const QuarantinePage: FC<QuarantineProps> = ({ page, groups, entries, companies, next, only }) => {
  const { columns, quarantine: words, groups: groupWords, frame } = page.words;
  const held = groups.reduce((sum, each) => sum + each.entries, 0);
  const waiting = only === null ? (page.counts?.quarantine ?? held) : held;
  const isHopeless = groups.every((each) => each.passing === 0 && each.tried === each.entries);
  const isValid = groups.some(({ passing }) => passing > 0);
  const discarded = page.url.searchParams.get('discarded');
  return (
    <Frame page={page} current="quarantine" title={frame.names.quarantine}>
      <h1>{held === 0 ? frame.names.quarantine : groupWords.problems(held, waiting)}</h1>
      <p class="lead">
        {words.lead} {only !== null && <a href="/quarantine">{groupWords.allProblems}</a>}
      </p>
      {discarded !== null && (
        <Notice tone={discarded === '0' ? 'warn' : 'ok'}>{words.discarded(Number(discarded))}</Notice>
      )}
      {entries.length === 0 && <Empty>{words.none}</Empty>}
      {held > 0 && isHopeless && <p class="soft">{words.cannot(held)}</p>}
      {!isHopeless && may(page, 'operate') && (
        <p class="actions">
          <a
            class={isValid ? 'button primary' : 'button'}
            href={planAddress('release', only === null ? {} : { problem: only.group.problem })}
          >
            {groupWords.releaseAll}
          </a>
        </p>
      )}
      {only !== null && <OfProblem {...only} />}
      {groups.length > 0 && <ProblemGroups groups={groups} isOnly={only !== null} />}
      {entries.length > 0 && <h2>{columns.webhooks}</h2>}
      {entries.length > 0 && <EntryTable entries={entries} companies={companies} />}
      {only !== null && <a href={`${EVENTS_FILE}?problem=${only.group.problem}`}>{page.words.list.csv}</a>}
      <Pager next={next} />
    </Frame>
  );
};

/** What is done with the webhooks of one problem: those that came again in a valid form, and all of them. */
const OfProblem: FC<NonNullable<QuarantineProps['only']>> = ({ group, sample }) => {
  const { quarantine } = usePage().words;
  const later = group.held.filter(({ isAcceptedLater }) => isAcceptedLater);
  return (
    <>
      <SenderReport
        write={(language) =>
          senderReport(language, {
            sample: sample.entry,
            wrong: sample.wrong,
            webhooks: group.held,
            all: group,
          })
        }
      />
      {later.length < group.entries && (
        <DiscardForm
          count={later.length}
          title={quarantine.discardLater(later.length)}
          fields={later.map(({ id }) => ['entry', id])}
        />
      )}
      <DiscardForm
        id="discard"
        count={group.entries}
        fields={[
          ['problem', group.problem],
          ['up_to', group.sample.id],
        ]}
      />
    </>
  );
};
