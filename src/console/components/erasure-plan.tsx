/** What an erasure would change. */
import type { FC } from 'hono/jsx';
import { FormToken } from '../../pages/document.tsx';
import { Notice } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { IdentifierType } from '../../privacy/identifier.ts';
import type { SomeRows } from '../../privacy/ledger.ts';
import { contentPlaces, type ContentPlace } from '../../store/privacy.ts';
import type { ErasureRunView } from '../../view/privacy/erasure-run-view.ts';
import type { Words } from '../language/words.ts';
import { usePage } from '../page.ts';
import { subjectColumn } from './event-cells.tsx';
import { ReasonField } from './form-fields.tsx';
import { Holds } from './holds.tsx';

type PlanView = NonNullable<ErasureRunView['plan']>;
type PlannedKind = PlanView['kinds'][number];
type FoundRow = PlanView['findings'][number];

/** Fields that a cell names. */
const MAX_FIELDS = 8;

/** What an erasure would change, and the form that starts it. */
export const ErasurePlan: FC<{ readonly id: string; readonly plan: PlanView; readonly reason: string }> = ({
  id,
  plan,
  reason,
}) => {
  const words = usePage().words.erasures;
  const rows = Object.values(plan.rows).reduce((sum, count) => sum + count, 0);
  const identified = Object.entries(plan.identified_by) as [IdentifierType, number][];
  return (
    <>
      <h1>{words.title(rows)}</h1>
      <p class="lead">
        {words.lead}{' '}
        {words.identifiedBy(identified.map(([type, count]) => words.types[type](count)).join(', '))}
      </p>
      {plan.holds.length > 0 && (
        <>
          <Notice tone="bad">{words.held}</Notice>
          <Holds holds={plan.holds} />
        </>
      )}
      {plan.held_rows > 0 && plan.holds.length === 0 && (
        <Notice tone="warn">{words.heldRows(plan.held_rows)}</Notice>
      )}
      {rows > 0 && <Kinds kinds={plan.kinds} />}
      {plan.findings.length > 0 && <Findings findings={plan.findings} />}
      {plan.holds.length === 0 && <StartForm id={id} plan={plan} reason={reason} />}
      <p>
        <a href="/privacy">{words.back}</a>
      </p>
    </>
  );
};

const Kinds: FC<{ readonly kinds: readonly PlannedKind[] }> = ({ kinds }) => {
  const { words: all, format } = usePage();
  const { erasures: words, columns } = all;
  return (
    <>
      <h2>{words.what}</h2>
      <Table
        rows={kinds}
        columns={[
          { head: columns.where, cell: ({ place }) => words.places[place as ContentPlace] },
          { head: columns.kind, as: 'code', cell: ({ kind }) => kind ?? '–' },
          { head: words.rows, as: 'number', cell: ({ rows }) => format.number(rows) },
          { head: words.erased, cell: ({ erased }) => <Fields names={erased} /> },
          { head: words.kept, cell: ({ kept }) => <Fields names={kept} /> },
        ]}
      />
    </>
  );
};

const Findings: FC<{ readonly findings: readonly FoundRow[] }> = ({ findings }) => {
  const all = usePage().words;
  const { erasures: words, columns } = all;
  return (
    <details>
      <summary>{words.first(findings.length)}</summary>
      <Table
        rows={findings}
        columns={[
          { head: columns.where, cell: ({ place }) => words.places[place as ContentPlace] },
          { head: words.id, as: 'code', cell: (row) => <FoundId row={row} /> },
          subjectColumn(),
          { head: words.fields, cell: ({ fields }) => <Fields names={fields} /> },
          { head: all.list.time, cell: ({ at }) => (at === null ? '–' : <Time iso={at} />) },
        ]}
      />
    </details>
  );
};

const FoundId: FC<{ readonly row: FoundRow }> = ({ row: { place, id } }) => {
  if (place === 'event') return <a href={`/events/${id}`}>{id}</a>;
  if (place === 'quarantine') return <a href={`/quarantine/${id}`}>{id}</a>;
  return <>{id}</>;
};

/** Names of fields: the first few, and how many more. */
export const Fields: FC<{ readonly names: readonly string[] }> = ({ names }) => {
  const words = usePage().words.erasures;
  if (names.length === 0) return <>–</>;
  const more = names.length - MAX_FIELDS;
  return (
    <>
      <span class="mono">{names.slice(0, MAX_FIELDS).join(', ')}</span>
      {more > 0 && ` ${words.more(more)}`}
    </>
  );
};

const StartForm: FC<{ readonly id: string; readonly plan: PlanView; readonly reason: string }> = ({
  id,
  plan,
  reason,
}) => {
  const page = usePage();
  const words = page.words.erasures;
  return (
    <form method="post" action="/privacy/erase" class="stack plan">
      <FormToken page={page} />
      <input type="hidden" name="run" value={id} />
      <input type="hidden" name="plan" value={plan.plan} />
      <h2>{words.erase}</h2>
      <p>{words.eraseWhy}</p>
      <label>
        <span>{words.again}</span>
        <textarea name="person" rows={3} required autocomplete="off" spellcheck={false}></textarea>
      </label>
      <ReasonField label={page.words.columns.reason} hint={words.reasonWhy} value={reason} />
      <p class="soft">
        {words.expires} <Time iso={plan.expires_at} />.
      </p>
      <div class="actions">
        <button class="danger">{words.erase}</button>
      </div>
    </form>
  );
};

/** Rows by place in words: `2 events, 1 delivery`. */
export function placeCounts({ places }: Words['erasures'], rows: SomeRows): string {
  const counted = contentPlaces.filter((place) => (rows[place] ?? 0) > 0);
  return counted.map((place) => `${String(rows[place])} ${places[place]}`).join(', ');
}
