/** The page of `/control` that lists indications and their documents. */
import type { FC } from 'hono/jsx';
import { Choice, Empty, Filters, Pager } from '../../../src/pages/list.tsx';
import { State, type Tone } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import { indicationStatus } from '../../../src/contract/record/indication.ts';
import type { DocumentStatus } from '../../indications/indication-tables.ts';
import type { ControlDeps } from '../control.ts';
import { indicationMoves } from '../indication-controls.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';
import { readIndications, type IndicationRow } from './control-rows.ts';
import { cursorOf, pageOf, statusOf } from './page-of-rows.ts';

const tones: Readonly<Record<DocumentStatus, Tone>> = {
  pending: 'warn',
  signed: 'ok',
  refused: 'bad',
  expired: 'bad',
  canceled: 'off',
};

/** Indications of drivers, with the documents that they sign. */
export async function documentsPage(view: ControlView, { provider }: ControlDeps) {
  const { url } = view.page;
  const statuses = indicationStatus.options;
  const { rows, next } = pageOf(
    await readIndications(provider, { before: cursorOf(url), status: statusOf(url, statuses) }),
  );
  return (
    <ControlFrame view={view} current="documents" title="Indications and documents">
      <h1>Indications and documents</h1>
      <p class="lead">
        Drivers who were indicated, newest first, with the document that they sign in the flow “form”.
      </p>
      <Filters action={paths.documents}>
        <Choice name="status" label="Indication" options={statuses.map((each) => [each, each] as const)} />
      </Filters>
      {rows.length === 0 ? (
        <Empty>No indication matches. The organization creates them by the API.</Empty>
      ) : (
        <Indications view={view} rows={rows} />
      )}
      <Pager next={next} />
    </ControlFrame>
  );
}

const Indications: FC<{ readonly view: ControlView; readonly rows: readonly IndicationRow[] }> = ({
  view,
  rows,
}) => {
  return (
    <Table
      rows={rows}
      columns={[
        { head: 'Indication', as: 'number', cell: ({ id }) => String(id) },
        { head: 'Traffic violation', as: 'number', cell: ({ violation }) => String(violation) },
        { head: 'Indication', as: 'code', cell: ({ status }) => status },
        { head: 'Document', cell: (row) => <DocumentCell row={row} /> },
        { head: 'Changed', cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
        { head: 'By hand', cell: (row) => <Answers view={view} row={row} /> },
      ]}
    />
  );
};

const DocumentCell: FC<{ readonly row: IndicationRow }> = ({ row: { document, missing } }) => {
  if (document === null) return <span class="soft">none</span>;
  return (
    <>
      <State tone={tones[document]} word={document} />
      {document === 'pending' && <div class="soft">{missing} to sign</div>}
    </>
  );
};

/** What signers and agencies can do. A move that the indication's state does not allow is rejected with a reason. */
const Answers: FC<{ readonly view: ControlView; readonly row: IndicationRow }> = ({
  view,
  row: { id, document },
}) => {
  const about = `Indication ${String(id)}`;
  const to = `/indications/${String(id)}`;
  const answers = { signed: 'Sign', refused: 'Refuse', expired: 'Let it expire' } as const;
  return (
    <div class="acts">
      {document === 'pending' &&
        Object.entries(answers).map(([status, label]) => (
          <Act view={view} to={`${to}/document/status`} label={label} about={about} fields={{ status }} />
        ))}
      <Act view={view} to={`${to}/status`} label="Set the state" about={about}>
        <select name="status" aria-label={`New state of the indication ${String(id)}`}>
          {indicationMoves.map((status) => (
            <option value={status}>{status}</option>
          ))}
        </select>
      </Act>
    </div>
  );
};
