/** The stream of a company's first import. */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Provider } from '../provider.ts';
import { type CompanyImport, companyImports, importSnapshot } from './company-imports.ts';

/**
 * Streams the progress of a running import as server-sent events: a snapshot at once
 * and after each change, and the outcome at the end (specification, Synchronization
 * stream). A slow reader skips to the newest snapshot.
 *
 * @throws HttpError 429 when the organization has too many streams.
 */
export function streamImport(c: Context, provider: Provider, running: CompanyImport): Response {
  // A response to HEAD has no reader, so its stream would never end.
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
  const release = provider.streams.acquire(running.organization_id);
  return streamSSE(c, async (stream) => {
    const changes = changesOf(provider);
    stream.onAbort(changes.end);
    try {
      let sent = '';
      for (;;) {
        const row = await companyImports.find(provider.query, running.organization_id, running.company_id);
        // The company was deleted, and its import with it.
        if (row === undefined) return;
        const snapshot = JSON.stringify(importSnapshot(row));
        if (snapshot !== sent) await stream.writeSSE({ event: 'progress', data: snapshot });
        sent = snapshot;
        if (row.outcome !== null) {
          await stream.writeSSE({ event: 'done', data: JSON.stringify({ status: row.outcome }) });
          return;
        }
        if (!(await changes.next())) return;
      }
    } finally {
      changes.end();
      release();
    }
  });
}

/** Waits for changes of imports. */
function changesOf(provider: Provider) {
  let hasChanged = false;
  let ended = false;
  let wake = () => {};
  const subscriptions: (() => void)[] = [];
  const end = () => {
    ended = true;
    for (const listener of subscriptions.splice(0)) listener();
    wake();
  };
  subscriptions.push(
    provider.onCommit((touched) => {
      if (!touched.has('imports')) return;
      hasChanged = true;
      wake();
    }),
    provider.onClosing(end),
  );
  return {
    end,
    /** Resolves after the next change; to false when the stream has ended. */
    async next(): Promise<boolean> {
      if (!hasChanged && !ended)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      hasChanged = false;
      return !ended;
    },
  };
}
