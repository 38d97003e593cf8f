/** The page of an event. */
import type { FC } from 'hono/jsx';
import { Attempts } from '../components/attempts.tsx';
import { ChangeTable } from '../components/changes.tsx';
import { Facts, Listed, type Fact } from '../components/facts.tsx';
import {
  DeliveryError,
  DeliveryState,
  eventsAddress,
  shownStatus,
  SubjectLink,
} from '../components/event-cells.tsx';
import { Hidden } from '../components/form-fields.tsx';
import { Json, UnmaskLink } from '../components/json.tsx';
import { Notice } from '../../pages/list.tsx';
import { Time } from '../../pages/time.tsx';
import { pauseSentence } from '../components/pauses.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { planAddress } from '../plan-address.ts';
import { may, usePage } from '../page.ts';
import { parseSubjectName } from '../../event/subject.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { maskText } from '../../kernel/text/scrub.ts';
import { comparedEvent } from '../../operate/show/event-detail.ts';
import type { DeliveryDetailView } from '../../view/delivery-view.ts';
import type { EventDetailView } from '../../view/event-view.ts';
import { errorText } from '../../view/payload/unmasking.ts';
import { partAddress } from './payload.tsx';

/** Machines that follow the subject of an event, and anomalies that a store keeps of each. */
const [MAX_MACHINES, MAX_ANOMALIES] = [20, 100];

/** Adds the page of one event. */
export function addEventPages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, pageOf, limitVisitor } = deps;

  app.get('/events/:id', async (c) => {
    const page = await pageOf(c);
    return limitVisitor(page.visitor.name, async () => {
      const { event, comparison } = await comparedEvent(store, c.req.param('id'), page);
      const ids = event.deliveries.flatMap(({ id, status }) => (status === 'dead' ? [id] : []));
      const asked = { handlers: registry.plainHandlers, limit: ids.length };
      const later = new Map((await store.overtaken({ ids }, asked)).map(({ id, by }) => [id, by]));
      const anomalies = await anomaliesOf(store, event);
      const { words, format, unmask, url, now } = page;
      const retried = url.searchParams.get('retried');
      return c.html(
        <Frame page={page} current="events" title={words.event.title(event.id)} refresh={10}>
          <h1 class="mono">{event.kind}</h1>
          <p class="lead mono">
            {event.id} · <SubjectLink subject={event.subject} /> · <Time iso={event.received_at} />
          </p>
          {retried !== null && (
            <Notice tone={retried === '0' ? 'warn' : 'ok'}>
              {retried === '0' ? words.event.notRetried : words.event.retried(Number(retried))}
            </Notice>
          )}
          <p class="verdict">
            {event.verdict === 'stale'
              ? words.event.verdicts.stale(comparison === null ? '' : ` (${comparison.comparedWith})`)
              : words.event.verdicts[
                  event.verdict === 'new' && event.flags.includes('released') ? 'released' : event.verdict
                ]}
            {event.last_repeat_at !== null && (
              <>
                {' '}
                {words.event.repeated(event.repeats)} <Time iso={event.last_repeat_at} />.
              </>
            )}
          </p>
          <div class="cols">
            <section>
              <h2>{words.event.deliveries}</h2>
              <Listed
                {...{ none: words.event.noDeliveries, rows: event.deliveries }}
                columns={[
                  {
                    head: words.columns.handler,
                    as: 'code',
                    cell: ({ effect, handler, replay }) => (
                      <>
                        {effect ?? handler}
                        {replay !== null && <span class="soft"> {replay}</span>}
                      </>
                    ),
                  },
                  {
                    head: words.columns.state,
                    cell: (delivery) => <StateCell delivery={delivery} by={later.get(delivery.id)} />,
                  },
                  {
                    head: words.event.finished,
                    cell: ({ finished_at, due_at }) =>
                      finished_at === null && due_at !== null && Date.parse(due_at) > now ? (
                        <>
                          {words.payload.nextDue} <Time iso={due_at} as="relative" />
                        </>
                      ) : (
                        finished_at !== null && <Time iso={finished_at} as="relative" />
                      ),
                  },
                ]}
              />
              {event.deliveries.some(({ history }) => history.length > 0) && (
                <h2>{words.columns.attempts}</h2>
              )}
              {event.deliveries.map((delivery) => (
                <Attempts delivery={delivery} />
              ))}
              <EventFacts event={event} anomalies={anomalies} />
            </section>
            <section>
              <h2>{words.event.changed}</h2>
              {comparison === null ? (
                <p class="soft">{words.event.first}</p>
              ) : (
                <ChangeTable {...comparison} />
              )}
              {event.body_bytes === null ? (
                <p class="soft">{words.event.purged}</p>
              ) : (
                <>
                  <h2>
                    {words.event.payload}{' '}
                    <span class="soft">
                      {words.event.bytes(format.bytes(event.body_bytes), event.masked)}
                    </span>
                  </h2>
                  <div class="sheet">
                    <Json value={event.data as JsonValue} part={partAddress(event.id, unmask)} />
                  </div>
                  <p class="actions">
                    <UnmaskLink masked={event.masked} />
                    <a class="button" href={`/events/${event.id}/curl${unmask ? '?unmask=true' : ''}`}>
                      {words.payload.curl}
                    </a>
                  </p>
                </>
              )}
            </section>
          </div>
        </Frame>,
      );
    });
  });
}

/** What machines found impossible about an event. */
async function anomaliesOf(
  store: Pick<PagesDeps['store'], 'listMachineStates' | 'anomalies'>,
  { id, source, subject: name }: EventDetailView,
): Promise<readonly string[]> {
  const subject = parseSubjectName(name);
  const states = subject && (await store.listMachineStates({ source, subject, limit: MAX_MACHINES }));
  const found = (states ?? []).map(async (state) =>
    store.anomalies(state.machine, source, state.subject, MAX_ANOMALIES),
  );
  return (await Promise.all(found)).flat().flatMap(({ eventId, message }) => (eventId === id ? message : []));
}

const StateCell: FC<{ readonly delivery: DeliveryDetailView; readonly by: string | undefined }> = ({
  delivery,
  by,
}) => {
  const page = usePage();
  const { words } = page;
  const { id, event_id: event, status, attempts, history, last_error: error } = delivery;
  // A retry by hand counts from the beginning.
  const all = Math.max(attempts, history.length + (status === 'succeeded' ? 1 : 0));
  return (
    <>
      <DeliveryState status={shownStatus(status, error)} />
      {all > 1 && <span class="soft"> {words.event.attempts(all)}</span>}
      <DeliveryError error={error} />
      {delivery.pause !== null && <p class="soft">{pauseSentence(page, delivery.pause)}</p>}
      {delivery.rate_until !== null && (
        <p class="soft">
          {words.event.waitsForRate} <Time iso={delivery.rate_until} />
        </p>
      )}
      {by !== undefined && (
        <p>
          {words.event.older} <a href={`/events/${by}`}>{by}</a>.{' '}
          {may(page, 'operate') && (
            <a href={planAddress('discard', { ids: [id] })}>{words.plans.discardShown(1)}</a>
          )}
        </p>
      )}
      {status === 'dead' && may(page, 'operate') && (
        <form method="post" action="/failures/retry">
          <FormToken page={page} />
          <Hidden fields={Object.entries({ event, delivery: id })} />
          <button>{words.event.retry}</button>
        </form>
      )}
    </>
  );
};

const EventFacts: FC<{ readonly event: EventDetailView; readonly anomalies: readonly string[] }> = ({
  event,
  anomalies,
}) => {
  const page = usePage();
  const { words } = page;
  const mono = (text: string) => <span class="mono">{text}</span>;
  const facts = [
    [words.columns.source, event.source],
    [words.columns.version, event.version],
    [words.event.flags, event.flags.map((flag) => words.events.flags[flag]).join(', ')],
    [words.event.messageId, event.message_id],
  ] as const;
  return (
    <>
      <Facts
        facts={[
          ...facts.map(([name, value]): Fact | false => Boolean(value) && [name, mono(value ?? '')]),
          event.unknown_values.length > 0 && [
            words.event.newValues,
            <a class="mono" href={`${eventsAddress(event.kind)}&flag=unknown-value`}>
              {event.unknown_values
                .map(({ path, value }) => `${path}${value === null ? '' : `: ${maskText(value)}`}`)
                .join(', ')}
            </a>,
          ],
          anomalies.length > 0 && [
            words.machines.anomalies,
            anomalies.map((message) => (
              <p class="error">{words.machines.anomaly(errorText(message, page))}</p>
            )),
          ],
        ]}
      />
      <details>
        <summary>{words.event.headers}</summary>
        <Facts
          facts={Object.entries(event.headers).map(([name, value]): Fact => [mono(name), mono(value)])}
        />
      </details>
    </>
  );
};
