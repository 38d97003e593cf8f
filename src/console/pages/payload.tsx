/** The pages of long payloads, part by part. */
import { Json, MAX_MEMBERS } from '../components/json.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import type { JsonValue } from '../../kernel/json/json.ts';
import { isSentNumber } from '../../kernel/json/sent-numbers.ts';
import { eventDetail } from '../../operate/show/event-detail.ts';

/** Characters of a text on one page. */
const PART_TEXT = 50_000;

/** Adds the pages of parts of a payload: what is too large for the page of its event. */
export function addPayloadPage(app: ConsoleApp, { store, pageOf, limitVisitor }: PagesDeps): void {
  app.get('/events/:id/payload', async (c) => {
    const page = await pageOf(c);
    const pointer = page.url.searchParams.get('at') ?? '';
    const from = Number(/^\d{1,9}$/u.exec(page.url.searchParams.get('from') ?? '')?.[0] ?? 0);
    return limitVisitor(page.visitor.name, async () => {
      const { id, data } = await eventDetail(store, c.req.param('id'), page);
      const value = valueAt(data as JsonValue, pointer);
      const words = page.words.payload;
      const part = partAddress(id, page.unmask);
      const end = from + (typeof value === 'string' ? PART_TEXT : MAX_MEMBERS);
      return c.html(
        <Frame page={page} current="events" title={words.part(pointer)}>
          <h1 class="mono">{pointer === '' ? '/' : pointer}</h1>
          <p class="lead">
            <a href={`/events/${id}${page.unmask ? '?unmask=true' : ''}`}>{words.back}</a>
          </p>
          {value === undefined ? (
            <p class="empty">{words.noPart}</p>
          ) : (
            <div class="sheet">
              {typeof value === 'string' ? (
                <pre class="json">{value.slice(from, end)}</pre>
              ) : (
                <Json value={value} pointer={pointer} from={from} part={part} />
              )}
            </div>
          )}
          {end < sizeOf(value) && (
            <p class="pager">
              <a href={part(pointer, end)} rel="next">
                {words.next}
              </a>
            </p>
          )}
        </Frame>,
        value === undefined ? 404 : 200,
      );
    });
  });
}

/** The address of a part of an event's payload, masked or not as the page is. */
export function partAddress(id: string, unmask: boolean): (pointer: string, from: number) => string {
  return (pointer, from) => {
    const query = new URLSearchParams({
      at: pointer,
      ...(from > 0 && { from: String(from) }),
      ...(unmask && { unmask: 'true' }),
    });
    return `/events/${id}/payload?${query.toString()}`;
  };
}

function sizeOf(value: JsonValue | undefined): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** The value at a JSON Pointer (RFC 6901); undefined when there is none. */
function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  const [root, ...steps] = pointer.split('/');
  if (root !== '') return undefined;
  return steps.reduce<JsonValue | undefined>((found, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || isSentNumber(found)) return undefined;
    const isMember = Object.prototype.propertyIsEnumerable.call(found, name);
    return isMember ? (found as Readonly<Record<string, JsonValue>>)[name] : undefined;
  }, value);
}
