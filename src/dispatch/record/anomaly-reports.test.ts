import { beforeEach, expect, test } from 'vitest';
import type { MachineCommit } from '../../store/lane-queue.ts';
import { manualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { testEvent } from '../../testing/test-event.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import { createAnomalyReports, type AnomalyReports } from './anomaly-reports.ts';

let clock: ManualClock;
let reported: string[];
let reports: AnomalyReports;

beforeEach(() => {
  clock = manualClock();
  reported = [];
  reports = createAnomalyReports({
    clock,
    telemetry: {
      emit: (_name, fields) => void reported.push('event' in fields ? String(fields.event) : ''),
    },
  });
});

/** The machine folds an event of a charge; `anomalous` are the events of all anomalies in its commit. */
function commit(id: string, anomalous: readonly string[], refolded = false, charge = '1'): void {
  const event = {
    ...testEvent('charge.updated', { id }),
    subject: { family: 'charge', id: charge },
  } as StoredEvent;
  const machine: MachineCommit = {
    machine: 'status',
    state: null,
    version: null,
    lastEventId: id,
    revision: 1,
    anomalies: anomalous.map((eventId) => ({ eventId, message: 'impossible' })),
    refolded,
    effects: [],
  };
  reports.committed({ event, handler: 'status' }, machine);
}

test('an anomaly is reported a minute after the last event of its subject', () => {
  commit('e2', ['e2']);
  clock.advance(40_000);
  commit('e3', ['e3']);
  clock.advance(59_999);
  expect(reported).toEqual([]);
  clock.advance(1);
  expect(reported).toEqual(['e2', 'e3']);
  expect(clock.untilNext).toBeNull();
});

test('an anomaly that a late event explains is never reported', () => {
  commit('e3', ['e3']);
  commit('e2', [], true);
  clock.advance(600_000);
  expect(reported).toEqual([]);
});

test('a refold keeps the anomalies that it finds again, and adds those of its own event', () => {
  commit('e3', ['e3']);
  commit('e4', ['e4']);
  commit('e2', ['e1', 'e2', 'e4'], true);
  clock.advance(60_000);
  // Event e1 was reported when it was folded.
  expect(reported).toEqual(['e4', 'e2']);
});

test('subjects settle apart from each other', () => {
  commit('e1', ['e1'], false, '1');
  clock.advance(30_000);
  commit('e2', ['e2'], false, '2');
  clock.advance(30_000);
  expect(reported).toEqual(['e1']);
});

test('what waits is reported when the process stops, and the oldest when too many wait', () => {
  for (let at = 0; at <= 10_000; at += 1) commit(`e${String(at)}`, [`e${String(at)}`], false, String(at));
  expect(reported).toEqual(['e0']);
  reports.flush();
  expect(reported).toHaveLength(10_001);
  expect(clock.untilNext).toBeNull();
});
