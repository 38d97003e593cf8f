/** The search for a person, their erasure, and the forms of holds. */
import type { FC } from 'hono/jsx';
import { addDetails, operatorOf } from '../../access/audited-request.ts';
import { parseSubjectName, type Subject } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { FormToken } from '../../pages/document.tsx';
import { Notice } from '../../pages/list.tsx';
import { endHold, placeHold } from '../../privacy/holds.ts';
import { ERASURE_ID, findErasure } from '../../privacy/ledger.ts';
import type { Receipt } from '../../privacy/receipt.ts';
import { erasureRunView, type ErasureRunView } from '../../view/privacy/erasure-run-view.ts';
import { ledgerView } from '../../view/privacy/erasure-view.ts';
import { ErasurePlan } from '../components/erasure-plan.tsx';
import { LedgerEntry } from '../components/ledger-entry.tsx';
import { Quoted, Refused } from '../components/foreign-text.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { Frame, READ_AGAIN_S } from '../frame.tsx';
import { requirePermission } from '../guards.ts';
import { may, usePage, type Page } from '../page.ts';

/** The roles of whoever searches for a person: the answer says whether somebody is known here. */
const toName = ['operate', 'unmask'] as const;

/** Adds what the forms of the page of personal data do: holds, and the search for a person and their erasure. */
export function addErasurePages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, erasures, pageOf } = deps;

  addForm(app, '/privacy/hold', { action: 'addHold' }, async (c) => {
    const fields = c.get('fields');
    const reason = fields.get('reason') ?? '';
    const { warning } = await placeHold(store, subjectOf(fields), { reason, by: c.get('visitor').name });
    return c.redirect(warning === null ? '/privacy#holds' : '/privacy?held=unseen#holds', 303);
  });

  addForm(app, '/privacy/hold/end', { action: 'removeHold' }, async (c) => {
    const fields = c.get('fields');
    await endHold(store, subjectOf(fields), fields.get('reason') ?? '');
    return c.redirect('/privacy?held=ended#holds', 303);
  });

  addForm(app, '/privacy/plan', { action: 'planErasure', needs: toName }, async (c) => {
    const person = c.get('fields').get('person') ?? '';
    try {
      const { run, identified } = await erasures.plan(person.split('\n'));
      addDetails(c, { identifiers: identified });
      return c.redirect(`/privacy/erasures/${run.id}`, 303);
    } catch (error) {
      const isBusy = PortariaError.is(error, 'overloaded');
      if (!isBusy && !PortariaError.is(error, 'invalid-argument')) throw error;
      if (isBusy) c.header('retry-after', '1');
      const page = await pageOf(c);
      const { find } = page.words.erasures;
      return c.html(
        <Frame page={page} current="privacy" title={find}>
          <h1>{find}</h1>
          <WrongLines error={error} />
          <PersonForm person={person === '' ? ' ' : person} />
        </Frame>,
        isBusy ? 503 : 400,
      );
    }
  });

  addForm(app, '/privacy/erase', { action: 'startErasure', needs: toName }, async (c) => {
    const fields = c.get('fields');
    const given = (name: string): string => fields.get(name) ?? '';
    try {
      const run = await erasures.start({
        plan: given('plan'),
        identifiers: given('person').split('\n'),
        reason: given('reason'),
        operator: operatorOf(c, 'console', deps.signOn),
      });
      if (run.erasure !== null) addDetails(c, { erasure: run.erasure });
      return c.redirect(`/privacy/erasures/${run.id}`, 303);
    } catch (error) {
      const run = erasures.run(given('run'));
      const isShown = PortariaError.is(error, 'invalid-argument', 'erasure-refused');
      if (!isShown || run?.state !== 'planned') throw error;
      const page = await pageOf(c);
      return c.html(
        <RunPage page={page} run={erasureRunView(run)} error={error} reason={given('reason')} />,
        400,
      );
    }
  });

  app.get('/privacy/erasures/:id', async (c) => {
    const page = await pageOf(c);
    const id = c.req.param('id');
    if (ERASURE_ID.test(id)) {
      const run = erasures.runOf(id);
      const { read, problem } = run === undefined ? { read: null, problem: null } : erasureRunView(run);
      const [stored, holder] = await Promise.all([findErasure(store, id), store.erasing()]);
      const receipt = stored.receipt === null ? null : (JSON.parse(stored.receipt) as Receipt);
      const entry = ledgerView(stored, holder);
      const words = page.words.erasures;
      const title = words.ledgerTitle(id);
      const isErasing = entry.state === 'erasing';
      return c.html(
        <Frame page={page} current="privacy" title={title} refresh={isErasing ? READ_AGAIN_S : 0}>
          <h1>{title}</h1>
          {isErasing && read !== null && <p>{words.read(read.place, read.rows)}</p>}
          <LedgerEntry entry={entry} problem={problem} receipt={receipt} />
          <p>
            <a href="/privacy#erasures">{words.back}</a>
          </p>
        </Frame>,
      );
    }
    for (const permission of toName) requirePermission(c, permission);
    const run = erasures.run(id);
    if (run === undefined)
      throw new PortariaError('not-found', 'This process has no such plan: make it again');
    if (run.erasure !== null) return c.redirect(`/privacy/erasures/${run.erasure}`, 303);
    return c.html(<RunPage page={page} run={erasureRunView(run)} />);
  });

  app.get('/privacy/erasures/:id/receipt.json', async (c) => {
    const { id, receipt } = await findErasure(store, c.req.param('id'));
    if (receipt === null) throw new PortariaError('not-found', `There is no receipt yet of erasure ${id}`);
    c.header('content-type', 'application/json');
    c.header('content-disposition', `attachment; filename="receipt-${id}.json"`);
    return c.body(receipt);
  });
}

function subjectOf(fields: URLSearchParams): Subject {
  const subject = parseSubjectName(fields.get('subject')?.trim() ?? '');
  if (subject !== undefined) return subject;
  throw new PortariaError('invalid-argument', { code: 'subject-name' });
}

/** What is wrong, by the lines that were typed. */
const WrongLines: FC<{ readonly error: PortariaError }> = ({ error }) => (
  <>
    <Notice tone="bad">
      <Refused wrong={error} />
    </Notice>
    {error.problems.length > 0 && (
      <ul>
        {error.problems.map((problem) => (
          <li>
            {usePage().words.erasures.wrongAt(problem.where)}: <Refused wrong={problem} />
          </li>
        ))}
      </ul>
    )}
  </>
);

/** The form that searches for a person. */
export const PersonForm: FC<{ readonly person?: string }> = ({ person = '' }) => {
  const page = usePage();
  const words = page.words.erasures;
  if (!toName.every((permission) => may(page, permission))) return <p class="soft">{words.needs}</p>;
  return (
    <form method="post" action="/privacy/plan" class="stack sheet person">
      <FormToken page={page} />
      <label>
        <span>{words.person}</span>
        <textarea name="person" rows={3} required autocomplete="off" spellcheck={false}>
          {person}
        </textarea>
        <span class="soft">{words.personWhy}</span>
      </label>
      <p class="soft">{words.findWhy}</p>
      <button class="primary">{words.search}</button>
    </form>
  );
};

/** What a process searches for an operator, and the plan that it found. */
const RunPage: FC<{
  readonly page: Page;
  readonly run: ErasureRunView;
  readonly error?: PortariaError;
  readonly reason?: string;
}> = ({ page, run, error, reason = '' }) => {
  const words = page.words.erasures;
  const { state, read, plan, problem } = run;
  if (plan !== null)
    return (
      <Frame page={page} current="privacy" title={words.find}>
        {error !== undefined && <WrongLines error={error} />}
        <ErasurePlan id={run.id} plan={plan} reason={reason} />
      </Frame>
    );
  const isOver = state === 'failed';
  const title = state === 'searching' ? words.searching : words.erasing;
  return (
    <Frame page={page} current="privacy" title={words.find} refresh={isOver ? 0 : READ_AGAIN_S}>
      <h1>{isOver ? words.failedSearch : title}</h1>
      {isOver && (
        <Notice tone="bad">
          <Quoted text={problem ?? ''} />
        </Notice>
      )}
      {read !== null && <p>{words.read(read.place, read.rows)}</p>}
      {isOver && <a href="/privacy">{words.back}</a>}
    </Frame>
  );
};
