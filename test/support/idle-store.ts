import type { MonitoringState } from '../../src/store/monitoring.ts';
import type { StoreTotals } from '../../src/store/queries.ts';

/** The numbers of a store in which nothing is. */
export const idleTotals: StoreTotals = {
  quarantined: 0,
  quarantineByReason: [],
  quarantineBytes: 0,
  quarantineMaxBytes: 1_000,
  quarantineDropped: { verified: 0, unverified: 0 },
  byHandler: [],
  oldestPendingAt: null,
  bytes: 1,
  freeBytes: 0,
  givesBackSpace: true,
  retention: {
    events: 0,
    bytes: 0,
    quarantine: 0,
    deliveries: 0,
    discarded: 0,
    oldestBodyAt: null,
    lastRunAt: null,
    nextRunAt: null,
  },
  pauses: [],
};

/** What monitoring knows of a store, created at the epoch, in which nothing has happened. */
export const idleMonitoring: MonitoringState = {
  createdAt: 0,
  received: [],
  uncounted: 0,
  openBreakers: [],
  outages: [],
  rejections: [],
  observed: [],
  looks: [],
  rates: { closed: [], waiting: [] },
  problems: [],
  waitingAlerts: 0,
  alertError: null,
};
