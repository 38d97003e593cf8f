/** Says which new values of enumerations came within a day. A contract that lists them by now ends it. */
import { createMemory } from '../../kernel/memory.ts';
import { HOUR_MS } from '../../kernel/time/durations.ts';
import { maskText } from '../../kernel/text/scrub.ts';
import { companyIn } from '../../operate/show/companies-of.ts';
import { unknownValues } from '../../view/event-view.ts';
import { instantText } from '../../view/instant-text.ts';
import { sentPayload } from '../../view/payload/sent-payload.ts';
import { eventsAddress } from '../components/event-cells.tsx';
import { pauseFormAddress } from '../components/pauses.tsx';
import { problem, type Findings, type Problem } from './problem.ts';

const RECENT_MS = 24 * HOUR_MS;
/** Events that are read, and milliseconds for which they are looked for. */
const [MAX_READ, MAX_MS] = [100, 25];
/** Values that are named, and characters of each. */
const [MAX_NAMED, MAX_VALUE] = [3, 60];

const remembered = createMemory<readonly NewValue[]>(10 * MAX_READ);

type NewValue = ReturnType<typeof unknownValues>[number] & { readonly company: string | null };

/** Characters of a value that are kept. */
const MAX_KEPT = 600;

/** Finds the new values that came most often, with the events of their kinds that have new values. */
export async function findNewValues({ page, store, registry }: Findings): Promise<readonly Problem[]> {
  const { words, format, now, contract } = page;
  const filter = { flag: 'unknown-value', since: now - RECENT_MS };
  const { found, isEnd } = await store.scanEvents({ filter, content: null, limit: MAX_READ, maxMs: MAX_MS });
  const came = await Promise.all(
    found.map(async ({ id, kind, source, receivedAt, flags }) => {
      // An erasure changes an event, and flags it.
      const values = await remembered(store, `${id} ${flags.join(' ')}`, async () => {
        const event = await store.event(id);
        if (event === null) return [];
        const { data } = sentPayload(event, page);
        return unknownValues(event, data, contract).map(({ value, ...each }) => ({
          ...each,
          // A copy: a part of a text keeps the whole text in memory.
          value: value === null ? null : Buffer.from(value.slice(0, MAX_KEPT)).toString(),
          company: companyIn(data),
        }));
      });
      return values.map((each) => ({ ...each, kind, source, receivedAt }));
    }),
  );
  const values = Map.groupBy(came.flat(), ({ path, value }) => JSON.stringify([path, value]));
  return [...values.values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MAX_NAMED)
    .flatMap((all) => {
      const first = all.at(-1);
      if (first === undefined) return [];
      const { path, value, receivedAt, company } = first;
      const isOfOne = isEnd && company !== null && all.every((each) => each.company === company);
      const kinds = [...new Set(all.map(({ kind }) => kind))];
      const routes = all.flatMap(({ kind, source }) =>
        registry.routesFor({ kind, recognized: true }, source),
      );
      const handlers = [...new Set(routes.map(({ handler }) => handler))];
      const [only = '', ...others] = handlers;
      const sentence = words.problems.newValue(path, all.length, {
        kinds,
        value: value === null ? '' : maskText(value).slice(0, MAX_VALUE),
        first: isEnd ? format.relative(instantText(receivedAt), now) : null,
      });
      const href = others.length === 0 ? pauseFormAddress(only) : '/handlers';
      return [
        {
          ...problem('warn', sentence, `${eventsAddress(...kinds)}&flag=unknown-value`),
          note: [words.problems.received(handlers), isOfOne && words.problems.ofCompany(company)]
            .filter(Boolean)
            .join(' '),
          ...(handlers.length > 0 && { before: { href, action: words.pauses.pause } }),
        },
      ];
    });
}
