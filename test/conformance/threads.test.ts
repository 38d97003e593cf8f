/**
 * The built store, whose writes and long reads run in threads, by a test for each operation: what an operation does is the same
 * code as in one thread. It needs dist/.
 */
import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { sqliteBuilt } from './built-threads.ts';
import { describeStore } from './store-conformance.ts';
import type { StorePlace } from './store-place.ts';

/** Tests of the conformance suite that call each operation between them. */
const CHOSEN: ReadonlySet<string> = new Set([
  'deliveries claimed after the resolution carry its flag',
  'given an event of a kind that is defined now, then it is recognized where and when it came',
  'given a record that no webhook told, its repair is an event, and the late webhook a repeat that fills it in',
  'tells the bytes of bodies, in the order of the ids',
  'lists subjects by their latest events, and counts the deliveries of events',
  'searches no more than the newest events for a company, says so, and selects by what it found',
  "reads a subject's events in version order, up to one of them",
  'reads events with payloads in the requested order, without unknown ones',
  'lists subjects by the kinds of their events, in the order first seen, in pages',
  'a sound store passes its checks',
  'says how far a search came, and finds nothing below an event of another store',
  'recognizes a repeat of the original of an erased event by its message id',
  'erases again only people of whom no subject is held',
  'keeps what each run of an erasure erased, with what it erased and nothing else',
  'erases once at a time, and says which process erases and since when',
  'a run starts at the first event with a body, and its times are recorded',
  'gives no space back when there is none, and most of it in steps',
  'prunes nothing when the state has changed since its base was read',
  'a quarantine entry that became an event of a held subject stays',
  'counts the same bytes from the same source while the entry is held',
  'an unverified newcomer drops no verified entry, and finds no room when they fill the quota',
  'forgetting a delivery that has ended releases nothing',
  'keeps nothing of a success, a discard or a release',
  'a closed bucket starts nothing until it opens',
  'erases what they quote, and prunes them with their delivery',
  'counts deliveries that fail and will be tried again, until they succeed',
  'a job is stored with its plan, which starts one job only',
  'results are recorded once; a delivery that is tried again after a failure has failed',
  'an attempt that the end of the process interrupted has not failed',
  'jobs that ended before a time are removed with their items, in steps',
  'a plan selects what had failed when it was made, whatever a clock that is set back says',
  'counts deliveries by handler and lane, and those that were retried before',
  'counts held entries, and groups them by their problem',
  'of handlers that would get an event now, it names those that a later one has overtaken',
  'what a replay delivered was not missed, and it is no first delivery',
  'with versions, the higher one overtakes, whichever arrived later',
  'a step of a retry leaves alone what is overtaken',
  'a paused delivery can be discarded, and its lane stays paused',
  'a pause of a guest holds back the owner from its commit on',
  'pauses are kept, and say since when, by whom, why and whether they are acknowledged',
  'a list of deliveries says which of them wait for a pause, and a count how many',
  'hasDiedOf is true until the machine has folded the event',
  'rejects a commit from another revision: nothing is stored, and the delivery stays in flight',
  'lists states by machine, source, subject and anomalies',
  'subjects are counted by the phases of their states',
  'subjects with anomalies are counted and listed, and the latest anomalies come first',
  'a paused lane shows what waits at its head',
  'rejects an unknown event or replay, and stores nothing of the call',
  'neither reads nor counts events after the last selected one',
  'a process is listed with its handlers until it unregisters',
  'a running process is listed with what it has in flight, and that it leads',
  'retention removes the oldest, says so, and the rest stays whole',
  'remembers a session that was signed out until it would have ended',
  'knows of no move of its server while it stays where it was',
  'keeps the counts of twelve weeks',
  'problems and the alerts about them are one commit, and alerts are read in order',
  'spans are put together to steps, from a time on',
]);

/** Operations that this process answers alone, and those that no test of the suite calls. */
const NOT_CALLED = [
  ...['keepLease', 'leads', 'mayStart', 'onForeignChange', 'onLeaseLost', 'onTakeOver'],
  ...['knownDefinitions', 'subjectTrail'],
];

const ran = new Set<string>();
const called = new Set<string>();
const operations = new Set<string>();

function recorded(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        called.add(String(name));
        return Reflect.apply(value, target, parameters);
      };
    },
  });
}

function recordedPlace(place: StorePlace): StorePlace {
  return {
    ...place,
    async open(...how) {
      const store = await place.open(...how);
      for (const [name, value] of Object.entries(store))
        if (typeof value === 'function') operations.add(name);
      return recorded(store);
    },
    afterPowerFailure: async () => recordedPlace(await place.afterPowerFailure()),
  };
}

beforeEach(({ task, skip }) => {
  if (task.suite === undefined) return;
  if (!CHOSEN.has(task.name)) skip('its operations run in another test');
  ran.add(task.name);
});

describeStore({ ...sqliteBuilt, place: async () => recordedPlace(await sqliteBuilt.place()) }, [
  'events',
  'deliveries',
  'operations',
]);

test('each operation has run', () => {
  expect(
    [...CHOSEN].filter((name) => !ran.has(name)),
    'no such test',
  ).toEqual([]);
  const missed = [...operations].filter((name) => !called.has(name));
  expect(missed.toSorted(), 'choose a test that calls it').toEqual(NOT_CALLED.toSorted());
});
