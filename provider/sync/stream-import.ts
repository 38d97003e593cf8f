import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Provider } from '../provider.ts';
import { importSnapshot, readImport, type CompanyImport } from './read-import.ts';

/**
 * The progress of a running import as server-sent events: where it stands, then
 * whenever a counter changes, and at last how it ended (specification,
 * Synchronization stream). A reader that is slower than the import gets the
 * newest of the snapshots that it has missed.
 *
 * @param running as it stands now.
 * @throws Refusal 429 when the organization has too many of them.
 */
export function streamImport(c: Context, provider: Provider, running: CompanyImport): Response {
  // Of an answer to HEAD nobody reads a body, so nothing would ever end it.
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
  const leave = provider.streams.take(running.organization_id);
  return streamSSE(c, async (stream) => {
    const changes = changesOf(provider);
    stream.onAbort(changes.end);
    try {
      let told = '';
      for (;;) {
        const row = await readImport(provider.query, running.organization_id, running.company_id);
        // The company is gone, and the import with it.
        if (row === undefined) return;
        const snapshot = JSON.stringify(importSnapshot(row));
        if (snapshot !== told) await stream.writeSSE({ event: 'progress', data: snapshot });
        told = snapshot;
        if (row.outcome !== null) {
          await stream.writeSSE({ event: 'done', data: JSON.stringify({ status: row.outcome }) });
          return;
        }
        if (!(await changes.next())) return;
      }
    } finally {
      changes.end();
      leave();
    }
  });
}

/** Imports that have moved on since the last look. */
function changesOf(provider: Provider) {
  let moved = false;
  let ended = false;
  let rouse = () => {};
  const forget: (() => void)[] = [];
  const end = () => {
    ended = true;
    for (const listener of forget.splice(0)) listener();
    rouse();
  };
  forget.push(
    provider.onCommit((touched) => {
      if (!touched.has('imports')) return;
      moved = true;
      rouse();
    }),
    provider.onClosing(end),
  );
  return {
    end,
    /** False when there is nobody to tell any more. */
    async next(): Promise<boolean> {
      if (!moved && !ended)
        await new Promise<void>((resolve) => {
          rouse = resolve;
        });
      moved = false;
      return !ended;
    },
  };
}
