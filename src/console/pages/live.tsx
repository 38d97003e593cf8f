/** The live page. */
import type { FC } from 'hono/jsx';
import { Empty } from '../../pages/list.tsx';
import { Chip, KindChip, SourceFilter, TextChip, VerdictFilter } from '../components/filters.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { sumOf } from '../day.ts';
import { Frame } from '../frame.tsx';
import { addLiveStream } from '../live/live-stream.ts';
import { LiveTable } from '../live/live-table.tsx';
import { liveFilter, recentRows } from '../live/live-window.ts';
import { usePage } from '../page.ts';
import { rejectionsOfADay } from './senders.tsx';

/** Adds the page of events as they come, and its stream. */
export function addLivePage(app: ConsoleApp, deps: PagesDeps): void {
  app.get('/live', async (c) => {
    const page = await deps.pageOf(c);
    const { search, searchParams } = page.url;
    const { rows, newest } = await recentRows(deps.store, liveFilter(searchParams));
    const { rejections } = await deps.store.monitoring();
    const rejected = sumOf(rejectionsOfADay(rejections, page.now), (each) => each.rejections);
    const words = page.words.live;
    return c.html(
      <Frame page={page} current="live" title={page.words.frame.names.live} scripts={['live.js']}>
        <h1>{words.heading}</h1>
        <p class="lead">
          {words.lead} {rejected > 0 && <a href="/senders#rejections">{words.rejected(rejected)}</a>}
        </p>
        <LiveFilters />
        <noscript>
          <p class="notice warn">
            {words.still} <a href={`/live${search}`}>{words.again}</a>
          </p>
        </noscript>
        <Stream newest={newest} />
        <p id="live-gap" role="status" class="soft" />
        <div id="rows" class="live-rows">
          <LiveTable rows={rows} />
          <Empty>{newest === null ? words.empty : words.emptyFiltered}</Empty>
        </div>
        <p class="pager">
          <a href={`/events${search}`}>{words.list}</a>
        </p>
      </Frame>,
    );
  });
  addLiveStream(app, deps);
}

const LiveFilters: FC = () => {
  const { words } = usePage();
  return (
    <form action="/live" class="chips">
      <KindChip />
      <TextChip name="subject" label={words.live.subject} hint={words.live.subjectHint} />
      <Chip label={words.list.more} names={['source', 'verdict']}>
        <SourceFilter />
        <VerdictFilter />
      </Chip>
    </form>
  );
};

/** The state of the stream and what a visitor can do with it. The script shows it, since it alone can stream. */
const Stream: FC<{ readonly newest: string | null }> = ({ newest }) => {
  const { words, url } = usePage();
  const { states, pause, resume, newRows, hint } = words.live;
  const parameters = new URLSearchParams(url.search);
  parameters.set('after', newest ?? '0');
  return (
    <div
      id="live"
      class="live"
      hidden
      data-words={JSON.stringify({ ...states, pause, resume, newRows, signIn: words.signIn.title })}
      data-stream={`/live/stream?${parameters.toString()}`}
    >
      <span id="live-state" role="status" class="state off">
        {states.connecting}
      </span>
      <button type="button" id="live-pause" aria-keyshortcuts="p">
        {pause}
      </button>
      <span role="status">
        <button type="button" id="live-new" class="primary" aria-keyshortcuts="n" hidden></button>
      </span>
      <span class="soft">{hint}</span>
    </div>
  );
};
