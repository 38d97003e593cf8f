import type { DispatchStore } from '../../../src/dispatch/dispatch-parts.ts';
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
import { unread } from './unread.ts';

/** A delivery as a test looks at it. */
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
  wasCutShort: boolean;
}

export interface Enqueued {
  readonly handler: string;
  readonly event: StoredEvent;
  readonly order?: LaneOrder;
  readonly effect?: ClaimedDelivery['effect'];
  readonly replay?: string;
  readonly dueAt?: number;
}

export type Operation =
  | 'recover'
  | 'claim'
  | 'complete'
  | 'succeed'
  | 'reschedule'
  | 'release'
  | 'resolveAmbiguity'
  | 'machineState'
  | 'versionOrder'
  | 'eventBefore'
  | 'hasDiedOf'
  | 'storedEvents';

/** Lanes as the interface promises them, and every operation can be made to fail. */
export interface MemoryLanes extends DispatchStore {
  readonly rows: readonly Row[];
  enqueue(delivery: Enqueued): Row;
  /** What an operation throws instead of doing anything; `undefined`: it works. */
  trouble: (operation: Operation) => unknown;
  /** Why the event of a delivery that is claimed cannot be read; `undefined`: it can. */
  unreadable: (delivery: ClaimedDelivery) => string | undefined;
  /** Calls of each operation, those that failed included. */
  readonly calls: Record<Operation, number>;
  /** Events of deliveries claimed ahead that were read. */
  reads(): number;
  /** The requests of all claims. */
  readonly claims: readonly ClaimRequest[];
}

interface Lane {
  readonly name: string;
  held: boolean;
  dueAt: number;
  /** Breaks ties between lanes that are due since the same millisecond. */
  turn: number;
  readonly waiting: Row[];
}

export function memoryLanes(now: () => number): MemoryLanes {
  const rows: Row[] = [];
  const lanes = new Map<string, Lane>();
  const claims: ClaimRequest[] = [];
  const states = memoryMachineStates();
  const calls = {
    recover: 0,
    claim: 0,
    complete: 0,
    succeed: 0,
    reschedule: 0,
    release: 0,
    resolveAmbiguity: 0,
    machineState: 0,
    versionOrder: 0,
    eventBefore: 0,
    hasDiedOf: 0,
    storedEvents: 0,
  };
  let turn = 0;
  let reads = 0;

  async function operate<T>(operation: Operation, work: () => T | Promise<T>): Promise<T> {
    calls[operation] += 1;
    const trouble = store.trouble(operation);
    // oxlint-disable-next-line typescript/only-throw-error -- whatever the test says
    if (trouble !== undefined) throw trouble;
    return work();
  }

  /** @param tries that count at once: none when it is claimed ahead */
  function start(lane: Lane, tries: 0 | 1 = 1): ClaimedDelivery {
    const row = lane.waiting[0];
    if (row === undefined || lane.held) throw new Error(`lane ${lane.name} has nothing to start`);
    lane.held = true;
    row.status = 'running';
    const { id, handler, effect, attempts, replay, event } = row;
    row.attempts += tries;
    return { id, lane: lane.name, handler, effect, attempt: attempts + 1, replay, event };
  }

  function read(delivery: ClaimedDelivery): ClaimedDelivery | UnreadDelivery {
    const reason = store.unreadable(delivery);
    if (reason === undefined) return delivery;
    const { id, lane, handler, replay } = delivery;
    return { id, lane, handler, replay, event: null, reason };
  }

  function held({ id, lane: name }: DeliveryKey): { lane: Lane; row: Row } {
    const lane = lanes.get(name);
    const row = lane?.waiting[0];
    if (lane === undefined || row?.id !== id || !lane.held) throw new Error(`${id} is not held`);
    return { lane, row };
  }

  function release(lane: Lane, dueAt: number): void {
    lane.held = false;
    lane.dueAt = dueAt;
    lane.turn = turn += 1;
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
      turn: (turn += 1),
      waiting: [],
    };
    lanes.set(name, lane);
    const row: Row = {
      id,
      lane: name,
      handler,
      event,
      effect,
      replay,
      status: 'pending',
      attempts: 0,
      lastError: null,
      wasCutShort: false,
    };
    lane.waiting.push(row);
    rows.push(row);
    return row;
  }

  function moveOn(
    key: DeliveryKey,
    end: DeliveryEnd,
    options: Parameters<DispatchStore['succeed']>[1],
  ): ClaimedDelivery | UnreadDelivery | null {
    const { lane, row } = held(key);
    row.status = end.status;
    row.attempts = Math.max(row.attempts, 1);
    row.lastError = end.status === 'succeeded' ? null : end.reason;
    lane.waiting.shift();
    release(lane, options.now);
    const next = lane.waiting[0];
    const wanted = options.replay === undefined || next?.replay === options.replay;
    return options.next && next !== undefined && wanted ? read(start(lane)) : null;
  }

  async function complete(
    ...[delivery, end, options]: Parameters<DispatchStore['complete']>
  ): Promise<ClaimedDelivery | UnreadDelivery | null> {
    const { event } = held(delivery).row;
    if (end.status === 'succeeded' && end.machine !== undefined) {
      await states.commitMachine(event.source, event.subject, end.machine, options.now);
      for (const { eventId, ...effect } of end.machine.effects) {
        const of = rows.find((one) => one.event.id === eventId)?.event ?? event;
        enqueue({ handler: `${end.machine.machine}/effects`, event: of, effect, replay: delivery.replay });
      }
    }
    return moveOn(delivery, end, options);
  }

  const store: MemoryLanes = {
    rows,
    claims,
    calls,
    reads: () => reads,
    trouble: () => undefined,
    unreadable: () => undefined,
    enqueue: ({ replay, ...delivery }) => enqueue({ ...delivery, replay: replay ?? null }),

    recover: () =>
      operate('recover', () => {
        const running = rows.filter(({ status }) => status === 'running');
        for (const row of running) {
          row.status = 'pending';
          row.wasCutShort = true;
          const lane = lanes.get(row.lane);
          if (lane !== undefined) release(lane, now());
        }
        return running.length;
      }),

    claim: (request) =>
      operate('claim', () => {
        claims.push(request);
        const open = [...lanes.values()]
          .filter((lane) => {
            const head = lane.waiting[0];
            return (
              head !== undefined &&
              !lane.held &&
              request.handlers.includes(head.handler) &&
              (request.replay === undefined || head.replay === request.replay)
            );
          })
          .toSorted((one, other) => one.dueAt - other.dueAt || one.turn - other.turn);
        if (request.untriedFirst === true) {
          const untried = open.findIndex(
            ({ waiting, dueAt }) => waiting[0]?.attempts === 0 && dueAt <= request.now,
          );
          if (untried > 0) open.unshift(...open.splice(untried, 1));
        }
        const due = open.filter(({ dueAt }) => dueAt <= request.now);
        const atOnce = due.slice(0, request.limit);
        const ahead = due
          .slice(request.limit)
          .filter(({ waiting }) => waiting[0]?.attempts === 0 && !waiting[0].wasCutShort)
          .slice(0, request.prefetch ?? 0);
        const next = open.find((lane) => !atOnce.includes(lane) && !ahead.includes(lane));
        return {
          ...sorted(atOnce.map((lane) => read(start(lane)))),
          prefetched: unread(
            ahead.map((lane) => start(lane, 0)),
            (taken) => {
              reads += taken.length;
              return sorted(taken.map(read));
            },
          ),
          nextDueAt: next?.dueAt ?? null,
        };
      }),

    complete: (delivery, end, options) => operate('complete', () => complete(delivery, end, options)),

    succeed: (deliveries, options) =>
      operate('succeed', () => {
        for (const delivery of deliveries) held(delivery);
        return deliveries.flatMap((key, at) => {
          const delivery = moveOn(key, { status: 'succeeded' }, options);
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
        for (const delivery of deliveries) {
          const { lane, row } = held(delivery);
          row.status = 'pending';
          row.attempts = Math.max(row.attempts - 1, 0);
          release(lane, dueAt);
        }
      }),

    machineState: (...key) => operate('machineState', () => states.machineState(...key)),
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
