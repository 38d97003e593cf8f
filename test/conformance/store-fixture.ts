import { onTestFinished } from 'vitest';
import type { Acceptance } from '../../src/store/inbox.ts';
import type {
  ClaimedDelivery,
  ClaimRequest,
  DeliveryKey,
  UnreadDelivery,
} from '../../src/store/lane-queue.ts';
import type { Route } from '../../src/store/route.ts';
import type { Store, StoreRole } from '../../src/store/store.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { sampleEvent, type EventSketch } from './sample-event.ts';
import type { PlaceLimits, StoreKind, StorePlace } from './store-place.ts';

/** A store under test, with shorthands for common calls. */
export interface StoreFixture {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly place: StorePlace;
  accept(sketch: EventSketch, routes?: readonly Route[]): Promise<Acceptance>;
  /** Accepts an event that must be stored, and returns its id. */
  stored(sketch: EventSketch, routes?: readonly Route[]): Promise<string>;
  claim(request?: Partial<ClaimRequest>): Promise<readonly ClaimedDelivery[]>;
  /** Claims exactly one delivery. */
  claimOne(request?: Partial<ClaimRequest>): Promise<ClaimedDelivery>;
  succeed(delivery: DeliveryKey, next?: boolean): Promise<ClaimedDelivery | null>;
  /** Opens the same store again; closed when the test ends. */
  openAgain(role: StoreRole): Promise<Store>;
}

/** Opens an empty store as owner; closed and removed when the test ends. */
export async function openFixture(kind: StoreKind, limits?: PlaceLimits): Promise<StoreFixture> {
  const place = await kind.place();
  onTestFinished(() => place.remove());
  return fixtureAt(place, manualClock(), limits);
}

/** Opens a place as owner. */
export async function fixtureAt(
  place: StorePlace,
  clock = manualClock(),
  limits?: PlaceLimits,
): Promise<StoreFixture> {
  const openAgain = async (role: StoreRole): Promise<Store> => {
    const store = await place.open(role, clock, limits);
    onTestFinished(() => store.close());
    return store;
  };
  const store = await openAgain('owner');

  const accept: StoreFixture['accept'] = (sketch, routes = [routeToAnyone]) =>
    store.accept(sampleEvent({ receivedAt: clock.now(), ...sketch }), routes);
  const claim: StoreFixture['claim'] = async (request = {}) => {
    const claimed = await store.claim({ now: clock.now(), limit: 100, handlers: ['anyone'], ...request });
    return claimed.deliveries;
  };
  return {
    store,
    clock,
    place,
    accept,
    async stored(sketch, routes) {
      const acceptance = await accept(sketch, routes);
      if (acceptance.status !== 'stored') throw new Error(`not stored but ${acceptance.status}`);
      return acceptance.id;
    },
    claim,
    async claimOne(request) {
      const deliveries = await claim(request);
      const [only] = deliveries;
      if (only === undefined || deliveries.length > 1) throw new Error(`${deliveries.length} were claimed`);
      return only;
    },
    async succeed(delivery, next = false) {
      return readable(await store.complete(delivery, { status: 'succeeded' }, { now: clock.now(), next }));
    },
    openAgain,
  };
}

/** Requires that the event of a claimed delivery was read. */
export function readable(claimed: ClaimedDelivery | UnreadDelivery): ClaimedDelivery;
export function readable(claimed: ClaimedDelivery | UnreadDelivery | null): ClaimedDelivery | null;
export function readable(claimed: ClaimedDelivery | UnreadDelivery | null): ClaimedDelivery | null {
  if (claimed?.event === null) throw new Error(`unread: ${claimed.reason}`);
  return claimed;
}

const routeToAnyone: Route = { handler: 'anyone', order: 'subject', stale: false };
