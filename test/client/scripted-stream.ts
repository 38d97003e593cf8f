import type { Reaction } from './client-setup.ts';

const counters = (completed: number) => ({
  total: 10,
  completed,
  succeeded: completed,
  failed: 0,
  remaining: 10 - completed,
});
const snapshot = (completed: number) => ({
  started_at: '2026-03-10T12:00:00.000Z',
  totals: counters(completed),
  domains: { vehicles: counters(completed), traffic_violations: counters(completed) },
});

/** One message of an event stream. */
export const message = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
export const progress = (completed: number, id?: string) => message('progress', snapshot(completed), id);
export const done = message('done', { status: 'partial_success' });

type End = 'close' | 'break' | 'hang';

/** Responds with a stream of these chunks, which then closes, breaks or hangs. */
export const stream =
  (chunks: readonly string[], end: End = 'close'): Reaction =>
  () => {
    const remaining = [...chunks];
    return new Response(
      new ReadableStream({
        async pull(controller) {
          const chunk = remaining.shift();
          if (chunk !== undefined) controller.enqueue(new TextEncoder().encode(chunk));
          else if (end === 'close') controller.close();
          else if (end === 'break') controller.error(new TypeError('terminated'));
          else await new Promise(() => undefined);
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  };

/** Summarizes events: the completed count of a progress event, and the name of any other. */
export const summaryOf = (events: readonly { readonly event: string; readonly data: object }[]) =>
  events.map(({ event, data }) =>
    event === 'progress' ? (data as ReturnType<typeof snapshot>).totals.completed : event,
  );
