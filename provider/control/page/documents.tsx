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
  const { documents: words } = view.words;
  const { url } = view.page;
  const statuses = indicationStatus.options;
  const { rows, next } = pageOf(
    await readIndications(provider, { before: cursorOf(url), status: statusOf(url, statuses) }),
  );
  return (
    <ControlFrame view={view} current="documents" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      <Filters action={paths.documents}>
        <Choice name="status" label={words.status} options={statuses.map((each) => [each, each] as const)} />
      </Filters>
      {rows.length === 0 ? <Empty>{words.none}</Empty> : <Indications view={view} rows={rows} />}
      <Pager next={next} />
    </ControlFrame>
  );
}

const Indications: FC<{ readonly view: ControlView; readonly rows: readonly IndicationRow[] }> = ({
  view,
  rows,
}) => {
  const { documents: words, byHand } = view.words;
  return (
    <Table
      rows={rows}
      columns={[
        { head: words.indication, as: 'number', cell: ({ id }) => String(id) },
        { head: words.violation, as: 'number', cell: ({ violation }) => String(violation) },
        { head: words.status, as: 'code', cell: ({ status }) => status },
        { head: words.document, cell: (row) => <DocumentCell view={view} row={row} /> },
        { head: words.updated, cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
        { head: byHand, cell: (row) => <Answers view={view} row={row} /> },
      ]}
    />
  );
};

const DocumentCell: FC<{ readonly view: ControlView; readonly row: IndicationRow }> = ({
  view,
  row: { document, missing },
}) => {
  const { documents: words } = view.words;
  if (document === null) return <span class="soft">{words.noDocument}</span>;
  return (
    <>
      <State tone={tones[document]} word={document} />
      {document === 'pending' && <div class="soft">{words.missing(missing)}</div>}
    </>
  );
};

/** What signers and agencies can do. A move that the indication's state does not allow is rejected with a reason. */
const Answers: FC<{ readonly view: ControlView; readonly row: IndicationRow }> = ({
  view,
  row: { id, document },
}) => {
  const { documents: words } = view.words;
  const about = `${words.indication} ${String(id)}`;
  const to = `/indications/${String(id)}`;
  const answers = { signed: words.sign, refused: words.refuse, expired: words.expire } as const;
  return (
    <div class="acts">
      {document === 'pending' &&
        Object.entries(answers).map(([status, label]) => (
          <Act view={view} to={`${to}/document/status`} label={label} about={about} fields={{ status }} />
        ))}
      <Act view={view} to={`${to}/status`} label={words.set} about={about}>
        <select name="status" aria-label={`${words.newStatus} ${String(id)}`}>
          {indicationMoves.map((status) => (
            <option value={status}>{status}</option>
          ))}
        </select>
      </Act>
    </div>
  );
};
