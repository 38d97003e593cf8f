import { noForeignChanges } from '../../../src/store/foreign-changes.ts';
import type { DispatchStore } from '../../../src/dispatch/retried-store.ts';
import { subjectName } from '../../../src/event/subject.ts';
import type { StoredEvent } from '../../../src/event/stored-event.ts';
import type {
  ClaimedDelivery,
  ClaimRequest,
  DeliveryEnd,
  DeliveryKey,
  ReadDeliveries,
  UnreadDelivery,
} from '../../../src/store/lane-queue.ts';
import type { DeliveryStatus } from '../../../src/store/queries.ts';
import type { LaneOrder } from '../../../src/store/route.ts';
import { memoryMachineStates } from '../../../src/testing/memory-machine-states.ts';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import { prefetched } from './prefetched.ts';

/** A delivery with its state, for assertions. */
export interface Row {
  readonly id: string;
  readonly lane: string;
  readonly handler: string;
  readonly event: StoredEvent;
  readonly effect: ClaimedDelivery['effect'];
  readonly replay: string | null;
  status: DeliveryStatus;
  attempts: number;
  lastError: string | null;
  /** Whether the process ended while it ran. */
  wasInterrupted: boolean;
}

export interface Enqueued {
  readonly handler: string;
  readonly event: StoredEvent;
  readonly order?: LaneOrder;
  readonly effect?: ClaimedDelivery['effect'];
  readonly replay?: string;
  readonly dueAt?: number;
}

const noCalls = {
  recover: 0,
  claim: 0,
  complete: 0,
  succeed: 0,
  reschedule: 0,
  release: 0,
  resolveAmbiguity: 0,
  machineState: 0,
  machineBase: 0,
  anomalies: 0,
  versionOrder: 0,
  eventBefore: 0,
  hasDiedOf: 0,
  storedEvents: 0,
};

export type Operation = keyof typeof noCalls;

/** A LaneQueue in memory whose operations can be made to fail. */
export interface MemoryLanes extends DispatchStore {
  readonly rows: readonly Row[];
  enqueue(delivery: Enqueued): Row;
  /** The error that an operation throws; `undefined`: it succeeds. */
  failure: (operation: Operation) => unknown;
  /** Why the event of a claimed delivery cannot be read; `undefined`: it can. */
  unreadable: (delivery: ClaimedDelivery) => string | undefined;
  /** Whether a claimed delivery still belongs to this process. */
  isOwn: (delivery: DeliveryKey) => boolean;
  /** Calls of each operation, including failed ones. */
  readonly calls: Record<Operation, number>;
  /** How many events of prefetched deliveries were read. */
  reads(): number;
  /** The requests of all claims. */
  readonly claims: readonly ClaimRequest[];
}

interface Lane {
  readonly name: string;
  held: boolean;
  dueAt: number;
  /** Breaks ties between lanes due in the same millisecond. */
  sequence: number;
  readonly waiting: Row[];
}

export function memoryLanes(now: () => number): MemoryLanes {
  const rows: Row[] = [];
  const lanes = new Map<string, Lane>();
  const claims: ClaimRequest[] = [];
  const states = memoryMachineStates();
  const calls = { ...noCalls };
  let abandoned: readonly DeliveryKey[] = [];
  let sequence = 0;
  let reads = 0;
  // dispatch/pauses.test.ts has an SQLite store for these.
  const noPauses = {
    pauses: async () => [],
    pauseChanges: async () => 0,
    acknowledgePauses: async () => undefined,
  };
  // dispatch/rates.test.ts, too.
  const noRates = {
    takeRates: async (takings: readonly unknown[]) => takings.map(() => null),
    closeRate: async () => undefined,
  };

  async function operate<T>(operation: Operation, work: () => T | Promise<T>): Promise<T> {
    calls[operation] += 1;
    const failure = store.failure(operation);
    // oxlint-disable-next-line typescript/only-throw-error -- stores may throw anything
    if (failure !== undefined) throw failure;
    return work();
  }

  /** @param counted attempts counted at the claim: none for a prefetched delivery */
  function start(lane: Lane, counted: 0 | 1 = 1): ClaimedDelivery {
    const row = lane.waiting[0];
    if (row === undefined || lane.held) throw new Error(`lane ${lane.name} has nothing to start`);
    lane.held = true;
    row.status = 'running';
    const { id, handler, effect, attempts, replay, event } = row;
    row.attempts += counted;
    const key = { id, lane: lane.name, holder: 0, start: 0 };
    return { ...key, handler, effect, attempt: attempts + 1, replay, traceparent: null, event };
  }

  function read(delivery: ClaimedDelivery): ClaimedDelivery | UnreadDelivery {
    const reason = store.unreadable(delivery);
    if (reason === undefined) return delivery;
    const { id, lane, holder, start, handler, replay } = delivery;
    return { id, lane, holder, start, handler, replay, event: null, reason };
  }

  function held(key: DeliveryKey): { lane: Lane; row: Row } {
    const lane = lanes.get(key.lane);
    const row = lane?.waiting[0];
    if (lane === undefined || row === undefined || !isHeld(key)) throw new Error(`${key.id} is not held`);
    return { lane, row };
  }

  function isHeld({ id, lane: name }: DeliveryKey): boolean {
    const lane = lanes.get(name);
    return lane?.held === true && lane.waiting[0]?.id === id;
  }

  function release(lane: Lane, dueAt: number): void {
    lane.held = false;
    lane.dueAt = dueAt;
    lane.sequence = sequence += 1;
  }

  function releaseHeld(delivery: DeliveryKey, dueAt: number): void {
    const { lane, row } = held(delivery);
    row.status = 'pending';
    row.attempts = Math.max(row.attempts - 1, 0);
    release(lane, dueAt);
  }

  function enqueue({
    handler,
    event,
    order = 'subject',
    effect = null,
    replay = null,
    dueAt,
  }: Required<Pick<Enqueued, 'handler' | 'event'>> &
    Partial<Omit<Enqueued, 'replay'>> & { replay?: string | null }): Row {
    const id = `d${String(rows.length + 1)}`;
    const subject = `${event.source} ${subjectName(event.subject)}`;
    const name = `${handler} ${{ subject, handler: '', none: id }[order]}`;
    const lane = lanes.get(name) ?? {
      name,
      held: false,
      dueAt: dueAt ?? now(),
      sequence: (sequence += 1),
      waiting: [],
    };
    lanes.set(name, lane);
    const what = { id, lane: name, handler, event, effect, replay };
    const row: Row = { ...what, status: 'pending', attempts: 0, lastError: null, wasInterrupted: false };
    lane.waiting.push(row);
    rows.push(row);
    return row;
  }

  function end(
    key: DeliveryKey,
    how: DeliveryEnd,
    options: Parameters<DispatchStore['succeed']>[1],
  ): ClaimedDelivery | UnreadDelivery | null {
    const { lane, row } = held(key);
    row.status = how.status;
    row.attempts = Math.max(row.attempts, 1);
    row.lastError = how.status === 'succeeded' ? null : how.reason;
    lane.waiting.shift();
    release(lane, options.now);
    const next = lane.waiting[0];
    return options.next && next !== undefined ? read(start(lane)) : null;
  }

  async function complete(
    ...[delivery, how, options]: Parameters<DispatchStore['complete']>
  ): Promise<ClaimedDelivery | UnreadDelivery | null> {
    const { event } = held(delivery).row;
    if (how.status === 'succeeded' && how.machine !== undefined) {
      await states.commitMachine(event.source, event.subject, how.machine, options.now);
      for (const { eventId, ...effect } of how.machine.effects) {
        const of = rows.find((one) => one.event.id === eventId)?.event ?? event;
        enqueue({ handler: `${how.machine.machine}/effects`, event: of, effect, replay: delivery.replay });
      }
    }
    return end(delivery, how, options);
  }

  const store: MemoryLanes = {
    ...noPauses,
    ...noRates,
    ...noForeignChanges,
    rows,
    claims,
    calls,
    reads: () => reads,
    failure: () => undefined,
    unreadable: () => undefined,
    enqueue: ({ replay, ...delivery }) => enqueue({ ...delivery, replay: replay ?? null }),

    mayStart: (delivery) => store.isOwn(delivery),
    isOwn: () => true,

    recover: () =>
      operate('recover', () => {
        // The process that forgot them has ended.
        abandoned = [];
        const running = rows.filter(({ status }) => status === 'running');
        for (const row of running) {
          row.status = 'pending';
          row.wasInterrupted = true;
          const lane = lanes.get(row.lane);
          if (lane !== undefined) release(lane, now());
        }
        return running.length;
      }),

    claim: (request) =>
      operate('claim', () => {
        claims.push(request);
        for (const delivery of abandoned) if (isHeld(delivery)) releaseHeld(delivery, now());
        abandoned = [];
        const open = [...lanes.values()]
          .filter((lane) => {
            const head = lane.waiting[0];
            return head !== undefined && !lane.held && request.handlers.includes(head.handler);
          })
          .toSorted((one, other) => one.dueAt - other.dueAt || one.sequence - other.sequence);
        if (request.untriedFirst !== undefined) {
          const isDue = ({ waiting, dueAt }: Lane) => waiting[0]?.attempts === 0 && dueAt <= request.now;
          const { exceptSources = [] } = request;
          const isOfAnother = (lane: Lane) =>
            isDue(lane) && !exceptSources.includes(lane.waiting[0]?.event.source ?? '');
          const isUntried = open.some(isOfAnother) ? isOfAnother : isDue;
          const newest = Math.max(...open.filter(isUntried).map(({ waiting }) => rowNumber(waiting[0])));
          const untried =
            request.untriedFirst === 'oldest'
              ? open.findIndex(isUntried)
              : open.findIndex(({ waiting }) => rowNumber(waiting[0]) === newest);
          if (untried > 0) open.unshift(...open.splice(untried, 1));
        }
        const due = open.filter(({ dueAt }) => dueAt <= request.now);
        const atOnce = due.slice(0, request.limit);
        const ahead = due
          .slice(request.limit)
          .filter(({ waiting }) => waiting[0]?.attempts === 0 && !waiting[0].wasInterrupted)
          .slice(0, request.prefetch ?? 0);
        const next = open.find((lane) => !atOnce.includes(lane) && !ahead.includes(lane));
        return {
          ...sorted(atOnce.map((lane) => read(start(lane)))),
          prefetched: prefetched(
            ahead.map((lane) => start(lane, 0)),
            (taken) => {
              reads += taken.length;
              return sorted(taken.map(read));
            },
          ),
          superseded: [],
          nextDueAt: next?.dueAt ?? null,
        };
      }),

    complete: (...args) => operate('complete', () => complete(...args)),

    succeed: (deliveries, options) =>
      operate('succeed', () => {
        for (const delivery of deliveries) held(delivery);
        return deliveries.flatMap((key, at) => {
          const delivery = end(key, { status: 'succeeded' }, options);
          return delivery === null ? [] : [{ at, delivery }];
        });
      }),

    reschedule: (delivery, failure) =>
      operate('reschedule', () => {
        const { lane, row } = held(delivery);
        row.status = 'pending';
        row.attempts = Math.max(row.attempts, 1);
        row.lastError = failure.reason;
        release(lane, failure.dueAt);
      }),

    release: (deliveries, { dueAt }) =>
      operate('release', () => {
        for (const delivery of deliveries) releaseHeld(delivery, dueAt);
      }),
    abandon(deliveries) {
      abandoned = [...abandoned, ...deliveries];
    },

    machineState: (...key) => operate('machineState', () => states.machineState(...key)),
    machineBase: (...key) => operate('machineBase', () => states.machineBase(...key)),
    anomalies: (...key) => operate('anomalies', () => states.anomalies(...key)),
    versionOrder: (request) =>
      operate('versionOrder', () => {
        for (const { event } of rows) states.log(event);
        return states.versionOrder(request);
      }),
    eventBefore: (source, subject, eventId) =>
      operate('eventBefore', async () => {
        for (const { event } of rows) states.log(event);
        const { events } = await states.versionOrder({ source, subject, through: eventId });
        const before = [...events].filter((number) => number < eventNumber(eventId));
        const last = rows.findLast(({ event }) => eventNumber(event.id) === Math.max(...before));
        return last?.event.id ?? null;
      }),
    resolveAmbiguity: (_eventId, found) => operate('resolveAmbiguity', () => found),
    hasDiedOf: (machine, eventId) =>
      operate('hasDiedOf', () => {
        const ended = rows
          .filter(({ handler, event }) => handler === machine && event.id === eventId)
          .map(({ status }) => status);
        return ended.includes('dead') && !ended.includes('succeeded');
      }),
    storedEvents: (wanted) => operate('storedEvents', () => states.storedEvents(wanted)),
  };
  return store;
}

function sorted(all: readonly (ClaimedDelivery | UnreadDelivery)[]): ReadDeliveries {
  const deliveries = all.filter((one) => one.event !== null);
  return { deliveries, unread: all.filter((one) => one.event === null) };
}

function rowNumber(row: Row | undefined): number {
  return Number(row?.id.slice(1) ?? -1);
}
