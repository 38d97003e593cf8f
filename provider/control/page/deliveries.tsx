/** The page of `/control` that lists webhooks. */
import type { FC } from 'hono/jsx';
import { catalogue, type EventKind } from '../../../src/contract/catalogue.ts';
import { Choice, Empty, Filters, Pager } from '../../../src/pages/list.tsx';
import { State, type Tone } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import { countWebhooks } from '../../webhooks/outbox/count-webhooks.ts';
import { deliveryStatuses, type DeliveryStatus } from '../../webhooks/webhook-tables.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';
import { readDeliveries, type DeliveryRow } from './control-rows.ts';
import { cursorOf, pageOf, statusOf } from './page-of-rows.ts';

const tones: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'warn',
  aside: 'warn',
  delivered: 'ok',
  dead: 'bad',
  lost: 'off',
};

/** The outbox: each webhook with its attempts, and a link to what the receiver made of its record. */
export async function deliveriesPage(view: ControlView, { provider }: ControlDeps) {
  const { deliveries: words } = view.words;
  const { url, format } = view.page;
  const status = statusOf(url, deliveryStatuses);
  const [found, counts] = await Promise.all([
    readDeliveries(provider, { before: cursorOf(url), status }),
    countWebhooks(provider),
  ]);
  const { rows, next } = pageOf(found);
  return (
    <ControlFrame view={view} current="deliveries" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      <p class="acts">
        {deliveryStatuses.map((each) => (
          <span>
            <State tone={counts[each] === 0 ? 'off' : tones[each]} word={words.statuses[each]} />{' '}
            {format.number(counts[each])}
          </span>
        ))}
      </p>
      <Filters action={paths.deliveries}>
        <Choice
          name="status"
          label={words.status}
          options={deliveryStatuses.map((each) => [each, words.statuses[each]] as const)}
        />
      </Filters>
      {rows.length === 0 ? <Empty>{words.none}</Empty> : <Deliveries view={view} rows={rows} />}
      {counts.dead > 0 && (
        <div class="actions">
          <Act view={view} to="/webhooks/dead/resend" label={words.resendAll(counts.dead)} primary />
        </div>
      )}
      <Pager next={next} />
    </ControlFrame>
  );
}

const Deliveries: FC<{ readonly view: ControlView; readonly rows: readonly DeliveryRow[] }> = ({
  view,
  rows,
}) => {
  const { deliveries: words, byHand } = view.words;
  return (
    <Table
      rows={rows}
      columns={[
        { head: words.recorded, cell: ({ recordedAt }) => <Time iso={recordedAt} as="relative" /> },
        {
          head: words.type,
          as: 'code',
          cell: (row) => (
            <div>
              {row.type}
              <br />
              <Subject view={view} row={row} />
            </div>
          ),
        },
        {
          head: words.status,
          cell: ({ status, failure, repeats }) => (
            <div>
              <State tone={tones[status]} word={words.statuses[status]} />
              {repeats !== null && <div class="soft">{words.repeats[repeats]}</div>}
              {failure !== null && <p class="error">{failure}</p>}
            </div>
          ),
        },
        { head: words.attempts, as: 'number', cell: ({ attempts }) => String(attempts) },
        {
          head: words.last,
          // One that waits for its turn has not been tried.
          cell: ({ status, attempts, dueAt }) => (
            <Time iso={status === 'pending' && attempts === 0 ? null : dueAt} as="relative" />
          ),
        },
        { head: words.messageId, as: 'code', cell: ({ messageId }) => messageId },
        {
          head: byHand,
          cell: ({ id, status }) =>
            status === 'dead' ? (
              <Act
                view={view}
                to={`/webhooks/dead/${String(id)}/resend`}
                label={words.resend}
                about={String(id)}
              />
            ) : null,
        },
      ]}
    />
  );
};

/** The record as the receiver names it, as a link to its story there. */
const Subject: FC<{ readonly view: ControlView; readonly row: DeliveryRow }> = ({
  view,
  row: { type, record },
}) => {
  const subject = `${catalogue[type as EventKind].family}:${record}`;
  if (view.console === null) return <>{subject}</>;
  return <a href={`${view.console}/subjects/${encodeURIComponent(subject)}`}>{subject}</a>;
};
