/** What the probes of the private port respond. */
import type { OpsDeps } from './ops-deps.ts';

/** Paths without authentication: probes send no token and address the machine by its IP. */
export const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export interface Liveness {
  readonly status: 'ok';
  readonly version: string;
}

export type Readiness =
  | { readonly status: 'ready'; readonly reasons: [] }
  | { readonly status: 'not-ready'; readonly reasons: [string, ...string[]] };

export function liveness({ version }: Pick<OpsDeps, 'version'>): Liveness {
  return { status: 'ok', version };
}

/** Whether the process accepts webhooks and delivers them, and why not. */
export function readiness({ store, notReady }: Pick<OpsDeps, 'store' | 'notReady'>): Readiness {
  const [first, ...others] = [
    ...(store.healthy() ? [] : ['the store failed at its last write']),
    ...notReady(),
  ];
  if (first === undefined) return { status: 'ready', reasons: [] };
  return { status: 'not-ready', reasons: [first, ...others] };
}
