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
import { Hidden, ReasonField } from './form-fields.tsx';
import { Holds } from './holds.tsx';

/** Fields that a cell names. */
const MAX_FIELDS = 8;

interface PlanProps {
  readonly id: string;
  readonly plan: NonNullable<ErasureRunView['plan']>;
  readonly reason: string;
}

/** What an erasure would change, and the form that starts it. */
export const ErasurePlan: FC<PlanProps> = ({ id, plan, reason }) => {
  const page = usePage();
  const { words: all, format } = page;
  const { erasures: words, columns } = all;
  const rows = Object.values(plan.rows).reduce((sum, count) => sum + count, 0);
  const identified = Object.entries(plan.identified_by) as [IdentifierType, number][];
  const isHeld = plan.holds.length > 0;
  const where = {
    head: columns.where,
    cell: ({ place }: { readonly place: string }) => words.places[place as ContentPlace],
  };
  return (
    <>
      <h1>{words.title(rows, plan.held_rows)}</h1>
      <p class="lead">
        {words.lead}{' '}
        {words.identifiedBy(identified.map(([type, count]) => words.types[type](count)).join(', '))}
      </p>
      {isHeld && <Notice tone="bad">{words.held}</Notice>}
      {isHeld && <Holds holds={plan.holds} />}
      {plan.held_rows > 0 && !isHeld && (
        <Notice tone="warn">
          {words.heldRows(plan.held_rows)} <a href="/privacy#holds">{words.seeHolds}</a>
        </Notice>
      )}
      {rows > 0 && <h2>{words.what}</h2>}
      {rows > 0 && (
        <Table
          rows={plan.kinds}
          columns={[
            where,
            { head: columns.kind, as: 'code', cell: ({ kind }) => kind ?? '–' },
            { head: words.rows, as: 'number', cell: (row) => format.number(row.rows) },
            { head: words.erased, cell: ({ erased }) => <Fields names={erased} /> },
            { head: words.kept, cell: ({ kept }) => <Fields names={kept} /> },
          ]}
        />
      )}
      {plan.findings.length > 0 && (
        <details>
          <summary>{words.first(plan.findings.length)}</summary>
          <Table
            rows={plan.findings}
            columns={[
              where,
              { head: words.id, as: 'code', cell: (row) => <FoundId {...row} /> },
              subjectColumn(),
              { head: words.fields, cell: ({ fields }) => <Fields names={fields} /> },
              { head: all.list.time, cell: ({ at }) => (at === null ? '–' : <Time iso={at} />) },
            ]}
          />
        </details>
      )}
      {!isHeld && (
        <form method="post" action="/privacy/erase" class="stack plan">
          <FormToken page={page} />
          <Hidden fields={Object.entries({ run: id, plan: plan.plan })} />
          <h2>{words.erase}</h2>
          <p>{words.eraseWhy}</p>
          <label>
            <span>{words.again}</span>
            <textarea name="person" rows={3} required autocomplete="off" spellcheck={false}></textarea>
          </label>
          <ReasonField label={columns.reason} hint={words.reasonWhy} value={reason} />
          <p class="soft">
            {words.expires} <Time iso={plan.expires_at} />.
          </p>
          <div class="actions">
            <button class="danger">{words.erase}</button>
          </div>
        </form>
      )}
      <p>
        <a href="/privacy">{words.back}</a>
      </p>
    </>
  );
};

const FoundId: FC<{ readonly place: string; readonly id: string }> = ({ place, id }) => {
  const list = { event: 'events', quarantine: 'quarantine' }[place];
  return list === undefined ? <>{id}</> : <a href={`/${list}/${id}`}>{id}</a>;
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

/** Rows by place in words: `2 events, 1 delivery`. */
export function placeCounts({ places }: Words['erasures'], rows: SomeRows): string {
  const counted = contentPlaces.filter((place) => (rows[place] ?? 0) > 0);
  return counted.map((place) => `${String(rows[place])} ${places[place]}`).join(', ');
}
