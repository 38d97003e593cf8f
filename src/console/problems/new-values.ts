/** Says which new values of enumerations came within a day. A contract that lists them by now ends it. */
import { HOUR_MS } from '../../kernel/time/durations.ts';
import { maskText } from '../../kernel/text/scrub.ts';
import type { Queries } from '../../store/queries.ts';
import { unknownValues } from '../../view/event-view.ts';
import { instantText } from '../../view/instant-text.ts';
import { sentPayload } from '../../view/payload/sent-payload.ts';
import { eventsAddress } from '../components/event-cells.tsx';
import type { Page } from '../page.ts';

const RECENT_MS = 24 * HOUR_MS;
/** Events that are read, and milliseconds for which they are looked for. */
const [MAX_READ, MAX_MS] = [100, 25];
/** Values that are named, and characters of each. */
const [MAX_NAMED, MAX_VALUE] = [3, 60];

/** Finds the new values that came most often, each with its sentence and the events of its kind with new values. */
export async function findNewValues(
  page: Page,
  store: Pick<Queries, 'scanEvents' | 'event'>,
): Promise<readonly { readonly sentence: string; readonly href: string }[]> {
  const { words, format, now, contract } = page;
  const filter = { flag: 'unknown-value', since: now - RECENT_MS };
  const { found, isEnd } = await store.scanEvents({ filter, content: null, limit: MAX_READ, maxMs: MAX_MS });
  const came = await Promise.all(
    found.map(async ({ id, kind, receivedAt }) => {
      const event = await store.event(id);
      if (event === null) return [];
      const { data } = sentPayload(event, page);
      return unknownValues(event, data, contract).map((each) => ({ ...each, kind, receivedAt }));
    }),
  );
  const values = Map.groupBy(came.flat(), ({ kind, path, value }) => JSON.stringify([kind, path, value]));
  return [...values.values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MAX_NAMED)
    .flatMap((all) => {
      const first = all.at(-1);
      if (first === undefined) return [];
      const { kind, path, value, receivedAt } = first;
      const sentence = words.problems.newValue(kind, path, all.length, {
        value: value === null ? '' : maskText(value).slice(0, MAX_VALUE),
        first: format.relative(instantText(receivedAt), now),
        isPart: !isEnd,
      });
      return [{ sentence, href: `${eventsAddress(kind)}&flag=unknown-value` }];
    });
}
