import type { OpsParts } from './ops-parts.ts';

/** Answered to anyone: probes carry no token and name the machine by its address. */
export const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export interface Liveness {
  readonly status: 'ok';
  readonly version: string;
}

export function liveness({ version }: Pick<OpsParts, 'version'>): Liveness {
  return { status: 'ok', version };
}

export type Readiness =
  | { readonly status: 'ready'; readonly reasons: [] }
  | { readonly status: 'not-ready'; readonly reasons: [string, ...string[]] };

/** Whether webhooks are taken and handed on, and why not. */
export function readiness({ store, notReady }: Pick<OpsParts, 'store' | 'notReady'>): Readiness {
  const [first, ...others] = [
    ...(store.healthy() ? [] : ['the store failed at its last write']),
    ...notReady(),
  ];
  if (first === undefined) return { status: 'ready', reasons: [] };
  return { status: 'not-ready', reasons: [first, ...others] };
}
