/** The pages of long payloads, part by part. */
import type { FC } from 'hono/jsx';
import { Json, MAX_MEMBERS } from '../components/json.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import type { Page } from '../page.ts';
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
      return c.html(
        <PayloadPage page={page} id={id} pointer={pointer} from={from} value={value} />,
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

interface PayloadProps {
  readonly page: Page;
  readonly id: string;
  readonly pointer: string;
  readonly from: number;
  readonly value: JsonValue | undefined;
}

const PayloadPage: FC<PayloadProps> = ({ page, id, pointer, from, value }) => {
  const words = page.words.payload;
  const part = partAddress(id, page.unmask);
  const size = value === undefined ? 0 : sizeOf(value);
  const step = typeof value === 'string' ? PART_TEXT : MAX_MEMBERS;
  return (
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
            <pre class="json">{value.slice(from, from + PART_TEXT)}</pre>
          ) : (
            <Json value={value} pointer={pointer} from={from} part={part} />
          )}
        </div>
      )}
      {from + step < size && (
        <p class="pager">
          <a href={part(pointer, from + step)} rel="next">
            {words.next}
          </a>
        </p>
      )}
    </Frame>
  );
};

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** The value at a JSON Pointer (RFC 6901); undefined when there is none. */
function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) return undefined;
  const steps = pointer.slice(1).split('/');
  let found: JsonValue | undefined = value;
  for (const step of steps) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const isHolder: boolean = typeof found === 'object' && found !== null && !isSentNumber(found);
    found =
      isHolder && Object.prototype.propertyIsEnumerable.call(found, name)
        ? (found as Readonly<Record<string, JsonValue>>)[name]
        : undefined;
  }
  return found;
}
