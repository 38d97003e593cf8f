/**
 * Webhooks on their way, to several processes at once. What one becomes depends on those that are committed before it, so
 * the model follows the commits, and keeps for each webhook what it may have become since it was sent.
 */
import type { Receipt } from '../../../../src/event/receipt.ts';
import type { Identity, KnownEvent, Prediction, Sent } from '../../checker/identity.ts';
import { violated } from '../../checker/violation.ts';
import type { EventNumbers, StoredEvent } from './postgres-rows.ts';
import type { SimulatedProcess } from './simulated-process.ts';

interface Arrival {
  readonly sent: Sent;
  readonly process: SimulatedProcess;
  /** What it could have become at each moment. */
  readonly possible: Prediction[];
  /** The event that a commit made of it. */
  event: KnownEvent | null;
}

export class Arrivals {
  readonly #identity: Identity;
  readonly #numbers: EventNumbers;
  #waiting: Arrival[] = [];
  /** Events that a response has named as new. */
  readonly #named = new Set<KnownEvent>();

  constructor(identity: Identity, numbers: EventNumbers) {
    this.#identity = identity;
    this.#numbers = numbers;
  }

  get waiting(): readonly Sent[] {
    return this.#waiting.map(({ sent }) => sent);
  }

  send(sent: Sent, process: SimulatedProcess): void {
    this.#waiting.push({ sent, process, possible: [this.#identity.predict(sent)], event: null });
  }

  /**
   * A process has committed events. Lanes have them in the order in which they came, whatever their numbers are.
   */
  stored(rows: readonly StoredEvent[], process: SimulatedProcess): readonly KnownEvent[] {
    /** The place of the last event of each subject: its events are stored in the order in which they came. */
    const places = new Map<string, number>();
    const found = rows.map((row) => {
      const place = this.#waiting.findIndex(
        ({ sent, event, process: of }, at) =>
          of === process && event === null && isOf(sent, row) && at > (places.get(sent.subject) ?? -1),
      );
      const arrival = this.#waiting[place];
      if (arrival === undefined) throw violated('acknowledged', 'an event is stored that nobody sent', row);
      places.set(arrival.sent.subject, place);
      return { row, arrival, place };
    });
    return found
      .toSorted((one, other) => one.place - other.place)
      .map(({ row, arrival }) => this.#becomes(arrival, row));
  }

  #becomes(arrival: Arrival, row: StoredEvent): KnownEvent {
    const expected = this.#identity.predict(arrival.sent);
    if (expected.is !== 'stored')
      throw violated('verdict', `an event was stored, expected ${expected.is}`, arrival.sent);
    if (expected.verdict !== row.verdict)
      throw violated('verdict', `an event is ${row.verdict}, expected ${expected.verdict}`, arrival.sent);
    this.#numbers.add(row.row);
    const event = this.#identity.apply(arrival.sent, expected, true);
    if (event === null) throw violated('verdict', 'an event has no number', arrival.sent);
    arrival.event = event;
    for (const other of this.#waiting) other.possible.push(this.#identity.predict(other.sent));
    return event;
  }

  answered(sent: Sent, receipt: Receipt): void {
    const arrival = this.#take(sent);
    const number = receipt.id === null ? 0 : this.#numbers.of(Number(receipt.id.replace(/^.*-/u, '')));
    const named = this.#identity.events[number - 1];
    if (receipt.status === 'accepted' || receipt.status === 'stale') {
      if (named === undefined || !isSame(named.sent, sent) || this.#named.has(named))
        throw violated('acknowledged', `a webhook became ${receipt.id}, which is not its event`, sent);
      this.#named.add(named);
      if ((receipt.status === 'stale') !== (named.verdict === 'stale'))
        throw violated('verdict', `an event was ${receipt.status}, expected ${named.verdict}`, sent);
      this.#leave(arrival, named);
      return;
    }
    const wanted = receipt.status === 'duplicate' ? ['duplicate', 'conflict'] : ['rejected'];
    const expected = arrival.possible.find(
      (one) => wanted.includes(one.is) && (!('of' in one) || one.of === named),
    );
    if (expected === undefined)
      throw violated(
        'verdict',
        `a webhook was ${receipt.status} ${receipt.id ?? ''}, expected ${[...new Set(arrival.possible.map(({ is }) => is))].join(' or ')}`,
        sent,
      );
    this.#leave(arrival, null);
    this.#identity.apply(sent, expected, true);
  }

  /** Nobody knows what became of it. */
  refused(sent: Sent): void {
    const arrival = this.#take(sent);
    if (arrival.event !== null) return;
    const known = new Map(
      arrival.possible.map((one) => [`${one.is} ${'of' in one ? String(one.of.number) : ''}`, one]),
    );
    for (const one of known.values()) if (one.is !== 'stored') this.#identity.apply(sent, one, false);
  }

  died(process: SimulatedProcess): void {
    for (const { sent } of this.#waiting.filter((arrival) => arrival.process === process)) this.refused(sent);
  }

  #take(sent: Sent): Arrival {
    const arrival = this.#waiting.find((one) => one.sent === sent);
    if (arrival === undefined) throw violated('answered', 'a webhook has two responses', sent);
    this.#waiting = this.#waiting.filter((one) => one !== arrival);
    return arrival;
  }

  /** Of equal webhooks nobody knows which one became the event before it is named. */
  #leave(arrival: Arrival, named: KnownEvent | null): void {
    if (arrival.event === named) return;
    const other = this.#waiting.find(({ event, sent }) =>
      named === null ? event === null && isSame(sent, arrival.sent) : event === named,
    );
    if (other !== undefined) other.event = arrival.event;
    else if (arrival.event !== null)
      throw violated(
        'verdict',
        `a webhook became event ${arrival.event.number}, and its response says otherwise`,
        arrival.sent,
      );
  }
}

function isOf({ sending, body, message }: Sent, row: StoredEvent): boolean {
  return sending.source === row.source && body === row.body && (message === null || message === row.message);
}

function isSame(one: Sent, other: Sent): boolean {
  return (
    one.sending.source === other.sending.source && one.body === other.body && one.message === other.message
  );
}
