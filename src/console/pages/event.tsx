/** The page of an event. */
import type { FC } from 'hono/jsx';
import { Attempts } from '../components/attempts.tsx';
import { ChangeTable } from '../components/changes.tsx';
import { Facts, Listed, type Fact } from '../components/facts.tsx';
import { DeliveryError, DeliveryState, shownStatus, SubjectLink } from '../components/event-cells.tsx';
import { Json, UnmaskLink } from '../components/json.tsx';
import { Notice } from '../../pages/list.tsx';
import { Time } from '../../pages/time.tsx';
import { pauseSentence } from '../components/pauses.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { planAddress } from '../plan-address.ts';
import { may, usePage, type Page } from '../page.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { maskText } from '../../kernel/text/scrub.ts';
import { comparedEvent, type EventChanges } from '../../operate/show/event-detail.ts';
import type { DeliveryDetailView, DeliveryView } from '../../view/delivery-view.ts';
import type { EventDetailView } from '../../view/event-view.ts';
import { partAddress } from './payload.tsx';

/** Adds the page of one event. */
export function addEventPages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, pageOf, limitVisitor } = deps;

  app.get('/events/:id', async (c) => {
    const page = await pageOf(c);
    return limitVisitor(page.visitor.name, async () => {
      const compared = await comparedEvent(store, c.req.param('id'), page);
      const ids = compared.event.deliveries.flatMap(({ id, status }) => (status === 'dead' ? [id] : []));
      const asked = { handlers: registry.plainHandlers, limit: ids.length };
      const later = new Map((await store.overtaken({ ids }, asked)).map(({ id, by }) => [id, by]));
      return c.html(<EventPage page={page} {...compared} later={later} />);
    });
  });
}

interface EventProps {
  readonly page: Page;
  readonly event: EventDetailView;
  readonly comparison: EventChanges | null;
  /** Of failed deliveries, the later event that their handler has handled. */
  readonly later: ReadonlyMap<string, string>;
}

const EventPage: FC<EventProps> = ({ page, event, comparison, later }) => {
  const words = page.words.event;
  const retried = page.url.searchParams.get('retried');
  return (
    <Frame page={page} current="events" title={words.title(event.id)} refresh={10}>
      <h1 class="mono">{event.kind}</h1>
      <p class="lead mono">
        {event.id} · <SubjectLink subject={event.subject} /> · <Time iso={event.received_at} />
      </p>
      {retried !== null && (
        <Notice tone={retried === '0' ? 'warn' : 'ok'}>
          {retried === '0' ? words.notRetried : words.retried(Number(retried))}
        </Notice>
      )}
      <Verdict event={event} comparedWith={comparison?.comparedWith ?? null} />
      <div class="cols">
        <section>
          <h2>{words.deliveries}</h2>
          <Deliveries event={event} later={later} />
          {event.deliveries.some(({ history }) => history.length > 0) && (
            <h2>{page.words.columns.attempts}</h2>
          )}
          {event.deliveries.map((delivery) => (
            <Attempts delivery={delivery} />
          ))}
          <EventFacts event={event} />
        </section>
        <section>
          <h2>{words.changed}</h2>
          {comparison === null ? <p class="soft">{words.first}</p> : <ChangeTable {...comparison} />}
          <Payload event={event} />
        </section>
      </div>
    </Frame>
  );
};

const Verdict: FC<{ readonly event: EventDetailView; readonly comparedWith: string | null }> = ({
  event,
  comparedWith,
}) => {
  const { words } = usePage();
  const { verdicts, repeated } = words.event;
  const sentence =
    event.verdict === 'stale'
      ? verdicts.stale(comparedWith === null ? '' : ` (${comparedWith})`)
      : verdicts[event.verdict];
  return (
    <p class="verdict">
      {sentence}
      {event.last_repeat_at !== null && (
        <>
          {' '}
          {repeated(event.repeats)} <Time iso={event.last_repeat_at} />.
        </>
      )}
    </p>
  );
};

const Payload: FC<{ readonly event: EventDetailView }> = ({ event }) => {
  const page = usePage();
  const { words, format } = page;
  if (event.body_bytes === null) return <p class="soft">{words.event.purged}</p>;
  return (
    <>
      <h2>
        {words.event.payload}{' '}
        <span class="soft">{words.event.bytes(format.bytes(event.body_bytes), event.masked)}</span>
      </h2>
      <div class="sheet">
        <Json value={event.data as JsonValue} part={partAddress(event.id, page.unmask)} />
      </div>
      <p class="actions">
        <UnmaskLink masked={event.masked} />
        <a class="button" href={`/events/${event.id}/curl${page.unmask ? '?unmask=true' : ''}`}>
          {words.payload.curl}
        </a>
      </p>
    </>
  );
};

const Deliveries: FC<Pick<EventProps, 'event' | 'later'>> = ({ event, later }) => {
  const { words, now } = usePage();
  return (
    <Listed
      {...{ none: words.event.noDeliveries, rows: event.deliveries }}
      columns={[
        { head: words.columns.handler, as: 'code', cell: (delivery) => <HandlerCell delivery={delivery} /> },
        {
          head: words.columns.state,
          cell: (delivery) => <StateCell event={event} delivery={delivery} later={later} />,
        },
        {
          head: words.event.finished,
          cell: ({ finished_at, due_at }) =>
            finished_at !== null ? (
              <Time iso={finished_at} as="relative" />
            ) : (
              due_at !== null &&
              Date.parse(due_at) > now && (
                <>
                  {words.payload.nextDue} <Time iso={due_at} as="relative" />
                </>
              )
            ),
        },
      ]}
    />
  );
};

const HandlerCell: FC<{ readonly delivery: DeliveryView }> = ({ delivery: { handler, effect, replay } }) => (
  <>
    {effect ?? handler}
    {replay !== null && <span class="soft"> {replay}</span>}
  </>
);

const StateCell: FC<Pick<EventProps, 'event' | 'later'> & { readonly delivery: DeliveryDetailView }> = ({
  event,
  delivery,
  later,
}) => {
  const page = usePage();
  const { words } = page;
  const { status, attempts, history, last_error: error } = delivery;
  // A retry by hand counts from the beginning.
  const all = Math.max(attempts, history.length + (status === 'succeeded' ? 1 : 0));
  const by = later.get(delivery.id);
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
            <a href={planAddress('discard', { ids: [delivery.id] })}>{words.plans.discardShown(1)}</a>
          )}
        </p>
      )}
      {status === 'dead' && may(page, 'operate') && (
        <form method="post" action="/failures/retry">
          <FormToken page={page} />
          <input type="hidden" name="event" value={event.id} />
          <input type="hidden" name="delivery" value={delivery.id} />
          <button>{words.event.retry}</button>
        </form>
      )}
    </>
  );
};

const EventFacts: FC<{ readonly event: EventDetailView }> = ({ event }) => {
  const { words } = usePage();
  const mono = (text: string) => <span class="mono">{text}</span>;
  const facts = [
    [words.columns.source, event.source],
    [words.columns.version, event.version],
    [words.event.flags, event.flags.map((flag) => words.events.flags[flag]).join(', ')],
    [
      words.event.newValues,
      event.unknown_values
        .map(({ path, value }) => `${path}${value === null ? '' : `: ${maskText(value)}`}`)
        .join(', '),
    ],
    [words.event.messageId, event.message_id],
  ] as const;
  return (
    <>
      <Facts
        facts={facts.map(([name, value]): Fact | false => Boolean(value) && [name, mono(value ?? '')])}
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
