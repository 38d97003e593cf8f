import type { Database } from 'better-sqlite3';

/** How far the provider's time was put forward, kept so that a restart does not fall back. */
export function openScenarioClock(sqlite: Database): { readonly ahead: number; keep(ahead: number): void } {
  const keep = sqlite.prepare<[number]>('update service_clock set ahead_ms = ?');
  return {
    ahead: sqlite.prepare<[], number>('select ahead_ms from service_clock').pluck().get() ?? 0,
    keep(ahead) {
      keep.run(ahead);
    },
  };
}
