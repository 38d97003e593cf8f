/** The page of `/control` that lists webhooks. */
import type { FC } from 'hono/jsx';
import { catalogue, type EventKind } from '../../../src/contract/catalogue.ts';
import { Choice, Empty, Filters, Pager } from '../../../src/pages/list.tsx';
import { State, type Tone } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import { countWebhooks } from '../../webhooks/outbox/outbox.ts';
import { deliveryStatuses, type DeliveryStatus } from '../../webhooks/webhook-tables.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';
import { readDeliveries, type DeliveryRow } from './control-rows.ts';
import { cursorOf, pageOf, statusOf } from './page-of-rows.ts';

const states: Readonly<Record<DeliveryStatus, { readonly tone: Tone; readonly word: string }>> = {
  pending: { tone: 'warn', word: 'waiting' },
  aside: { tone: 'warn', word: 'waiting, out of order' },
  delivered: { tone: 'ok', word: 'delivered' },
  dead: { tone: 'bad', word: 'dead' },
  lost: { tone: 'off', word: 'lost by chaos' },
};

/** The outbox: each webhook with its attempts, and a link to what the receiver made of its record. */
export async function deliveriesPage(view: ControlView, { provider }: ControlDeps) {
  const { url, format } = view.page;
  const status = statusOf(url, deliveryStatuses);
  const [found, counts] = await Promise.all([
    readDeliveries(provider, { before: cursorOf(url), status }),
    countWebhooks(provider),
  ]);
  const { rows, next } = pageOf(found);
  return (
    <ControlFrame view={view} current="deliveries" title="Webhooks">
      <h1>Webhooks</h1>
      <p class="lead">
        One row for each webhook and endpoint, newest first. A record’s webhooks are sent in order.
      </p>
      <p class="acts">
        {deliveryStatuses.map((each) => (
          <span>
            <State {...states[each]} {...(counts[each] === 0 && { tone: 'off' })} />{' '}
            {format.number(counts[each])}
          </span>
        ))}
      </p>
      <Filters action={paths.deliveries}>
        <Choice
          name="status"
          label="State"
          options={deliveryStatuses.map((each) => [each, states[each].word] as const)}
        />
      </Filters>
      {rows.length === 0 ? <Empty>No webhook matches.</Empty> : <Deliveries view={view} rows={rows} />}
      {counts.dead > 0 && (
        <div class="actions">
          <Act
            view={view}
            to="/webhooks/dead/resend"
            label={`Send all ${String(counts.dead)} dead ones again`}
            primary
          />
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
  return (
    <Table
      rows={rows}
      columns={[
        { head: 'Changed', cell: ({ recordedAt }) => <Time iso={recordedAt} as="relative" /> },
        {
          head: 'Kind and record',
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
          head: 'State',
          cell: ({ status, failure, repeats }) => (
            <div>
              <State {...states[status]} />
              {repeats !== null && (
                <div class="soft">
                  {repeats === 'duplicate' ? 'repeat by chaos' : 'repeat by chaos, with a new id'}
                </div>
              )}
              {failure !== null && <p class="error">{failure}</p>}
            </div>
          ),
        },
        { head: 'Attempts', as: 'number', cell: ({ attempts }) => String(attempts) },
        {
          head: 'Last or next attempt',
          // One that waits for its turn has not been tried.
          cell: ({ status, attempts, dueAt }) => (
            <Time iso={status === 'pending' && attempts === 0 ? null : dueAt} as="relative" />
          ),
        },
        { head: 'Message id', as: 'code', cell: ({ messageId }) => messageId },
        {
          head: 'By hand',
          cell: ({ id, status }) =>
            status === 'dead' ? (
              <Act
                view={view}
                to={`/webhooks/dead/${String(id)}/resend`}
                label="Send again"
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
