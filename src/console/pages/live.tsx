/** The live page. */
import type { FC } from 'hono/jsx';
import { Choice, Filters, TextFilter } from '../../pages/list.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { listAddress, liveParameters, readLiveFilter, type LiveFilter } from '../live/live-filter.ts';
import { addLiveStream } from '../live/live-stream.ts';
import { Row } from '../live/live-rows.tsx';
import { recentEvents, type RecentEvents } from '../live/live-window.ts';
import { usePage, type Page } from '../page.ts';

/** Adds the page of events as they come, and its stream. */
export function addLivePage(app: ConsoleApp, deps: PagesDeps): void {
  app.get('/live', async (c) => {
    const page = await deps.pageOf(c);
    const filter = readLiveFilter(page.url.searchParams);
    const recent = await recentEvents(deps.store, filter);
    return c.html(<LivePage page={page} filter={filter} recent={recent} />);
  });
  addLiveStream(app, deps);
}

interface LiveProps {
  readonly page: Page;
  readonly filter: LiveFilter;
  readonly recent: RecentEvents;
}

const LivePage: FC<LiveProps> = ({ page, filter, recent }) => {
  const words = page.words.live;
  return (
    <Frame page={page} current="live" title={words.title} scripts={['live.js']}>
      <h1>{words.heading}</h1>
      <p class="lead">{words.lead}</p>
      <LiveFilters />
      <noscript>
        <p class="notice warn">
          {words.still} <a href={`/live${page.url.search}`}>{words.again}</a>
        </p>
      </noscript>
      <Stream filter={filter} newest={recent.newest} />
      <p id="live-gap" role="status" class="soft" />
      <LiveTable recent={recent} filter={filter} />
      {recent.older && (
        <p class="pager">
          <a href={listAddress(filter)}>{words.older}</a>
        </p>
      )}
    </Frame>
  );
};

const LiveFilters: FC = () => {
  const { words } = usePage();
  return (
    <Filters action="/live">
      <TextFilter name="kind" label={words.events.kind} hint={words.events.kindHint} />
      <TextFilter name="subject" label={words.live.subject} hint={words.live.subjectHint} />
      <TextFilter name="source" label={words.events.source} />
      <Choice
        name="verdict"
        label={words.events.verdict}
        options={(['new', 'stale', 'ambiguous'] as const).map((verdict) => [verdict, words.verdict[verdict]])}
      />
    </Filters>
  );
};

/** The state of the stream and what a visitor can do with it. The script shows it, since it alone can stream. */
const Stream: FC<{ readonly filter: LiveFilter; readonly newest: string | null }> = ({ filter, newest }) => {
  const { live: words, signIn } = usePage().words;
  const parameters = liveParameters(filter);
  parameters.set('after', newest ?? '0');
  return (
    <div
      id="live"
      class="live"
      hidden
      data-words={JSON.stringify({
        ...words.states,
        pause: words.pause,
        resume: words.resume,
        signIn: signIn.submit,
        newRows: words.newRows,
      })}
      data-stream={`/live/stream?${parameters.toString()}`}
    >
      <span id="live-state" role="status" class="state off">
        {words.states.connecting}
      </span>
      <button type="button" id="live-pause" aria-keyshortcuts="p">
        {words.pause}
      </button>
      <button type="button" id="live-new" class="primary" aria-keyshortcuts="n" hidden></button>
      <span id="live-said" role="status" class="unseen" />
      <span class="soft">{words.hint}</span>
    </div>
  );
};

const LiveTable: FC<{ readonly recent: RecentEvents; readonly filter: LiveFilter }> = ({
  recent: { rows },
  filter,
}) => {
  const { events, live } = usePage().words;
  const isFiltered = liveParameters(filter).size > 0;
  return (
    <div class="live-rows">
      <table>
        <thead>
          <tr>
            {[events.time, events.kind, events.subject, events.verdict, events.outcome].map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody id="arriving" hidden />
        <tbody id="rows">
          {rows.map(({ event, outcome }) => (
            <Row event={event} outcome={outcome} />
          ))}
        </tbody>
      </table>
      <p class="empty">{isFiltered ? live.emptyFiltered : live.empty}</p>
    </div>
  );
};
