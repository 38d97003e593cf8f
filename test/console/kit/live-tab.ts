import { createParser } from 'eventsource-parser';
import { eventually } from '../../support/eventually.ts';
import type { OpsSetup } from '../../ops/ops-setup.ts';

export interface LiveMessage {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** A client of the live page's stream. */
export interface LiveTab {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: readonly LiveMessage[];
  /** The ids of the events whose rows were sent, in the order of the messages, oldest first in each. */
  rows(): readonly string[];
  /** What the stream said last of an event's outcome. */
  outcome(id: string): string | undefined;
  /** The last id that a message had. */
  lastId(): string;
  hasEnded(): boolean;
  close(): Promise<void>;
}

const ORIGIN = 'http://127.0.0.1:9090';

/**
 * Opens a stream.
 *
 * @param options.reads whether the client reads what it is sent
 */
export async function openLive(
  setup: OpsSetup,
  query = '',
  options: { readonly headers?: Readonly<Record<string, string>>; readonly reads?: boolean } = {},
): Promise<LiveTab> {
  const { headers = {}, reads = true } = options;
  const response = await setup.request(`${ORIGIN}/live/stream${query}`, {
    headers: { host: '127.0.0.1:9090', 'hx-request': 'true', ...headers },
  });
  const messages: LiveMessage[] = [];
  let ended = false;
  const parser = createParser({
    onEvent({ id, event, data }) {
      messages.push({ id, event, data });
    },
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const reader = isStream ? response.body?.getReader() : undefined;

  async function readAll(): Promise<void> {
    const decoder = new TextDecoder();
    for (;;) {
      const chunk = await reader?.read();
      if (chunk?.value === undefined) break;
      parser.feed(decoder.decode(chunk.value as Uint8Array, { stream: true }));
    }
    ended = true;
  }
  const finished = reads ? readAll() : Promise.resolve();

  const tab: LiveTab = {
    status: response.status,
    headers: response.headers,
    messages,
    rows: () =>
      messages.flatMap(({ event, data }) =>
        event !== 'rows'
          ? []
          : [...data.matchAll(/<tr id="e-([^"]+)"/gu)].map(([, id]) => id ?? '').toReversed(),
      ),
    outcome(id) {
      const row = new RegExp(`<tr id="e-${id}">.*?</tr>`, 'gu');
      const last = messages.flatMap(({ data }) => data.match(row) ?? []).at(-1);
      return last === undefined
        ? undefined
        : /<span class="[^"]*">([^<]*)<\/span><\/div><\/td><\/tr>$/u.exec(last)?.[1];
    },
    lastId: () => messages.findLast(({ id }) => id !== undefined)?.id ?? '',
    hasEnded: () => ended,
    async close() {
      await reader?.cancel();
      await finished;
    },
  };
  if (isStream && reads)
    await eventually('the stream has joined', () => messages.some(({ event }) => event === 'beat') || ended);
  return tab;
}
