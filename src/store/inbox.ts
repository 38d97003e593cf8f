/** How a store accepts events and rejected deliveries, and resolves ambiguities of what it accepted. */
import type { EventFlag, IdentifiedEvent } from '../event/event.ts';
import type { RejectedDelivery } from '../event/delivery.ts';
import type { Verdict } from '../event/stored-event.ts';
import type { Route } from './route.ts';

/** The result of accepting an event. */
export type Acceptance =
  | {
      readonly status: 'stored';
      readonly id: string;
      readonly verdict: Verdict;
      readonly flags: readonly EventFlag[];
      /** The number of deliveries that wait to run; 0 when no handler matches the event. */
      readonly pending: number;
    }
  /** Counted as a repeat of the event `id`. */
  | { readonly status: 'duplicate'; readonly id: string }
  /**
   * A message id used again for another content: counted as a repeat of the
   * first event, and quarantined with reason `conflict`.
   */
  | {
      readonly status: 'conflict';
      readonly id: string;
      readonly quarantineId: string;
      /** As in {@link Quarantining}. */
      readonly dropped: number;
    };

/** The result of quarantining a rejected delivery. */
export interface Quarantining {
  readonly id: string;
  /** False when the quota has no room: nothing is stored. */
  readonly stored: boolean;
  /** Whether it was counted on an entry of before. */
  readonly repeat: boolean;
  /** The number of entries that the quota dropped, including the delivery itself when it has no room. */
  readonly dropped: number;
}

/** Describes an event that does not come from a request. */
export interface AcceptOptions {
  /** The id of the quarantine entry that is released. */
  readonly releases?: string;
  /** Whether the event is imported from an export. */
  readonly copied?: boolean;
  /** Handlers that handle a later event of the subject first: their deliveries are stored as skipped. */
  readonly overtaken?: readonly { readonly handler: string; readonly by: string }[];
}

/** What the caller has seen of a subject. With anything newer, nothing is stored. Ids of events; null for none. */
export interface SeenSubject {
  /** The subject's latest event, as the repair saw it. */
  readonly latest?: string | null;
  /** The newest reconciled event that this webhook was already compared with. */
  readonly compared?: string | null;
}

/** What a reconciled event gets of the webhook that it stands for. */
export interface Filling extends Pick<AcceptOptions, 'overtaken'> {
  /** Bytes of the webhook, in the kind of the event. */
  readonly content: Uint8Array;
  /** Handlers of the webhook's kind. */
  readonly routes: readonly Route[];
}

/** The subject has changed since it was seen, and nothing was stored. */
export interface Moved {
  readonly status: 'moved';
  /** Its newest reconciled event that no webhook has repeated. */
  readonly reconciled: string | null;
}

/** Stores verified deliveries durably. Every promise settles after the commit. */
export interface Inbox {
  /**
   * Decides the verdict and stores the event, its subject's latest state and one
   * delivery per route, in one transaction.
   *
   * @param options.releases the quarantine entry of the event: marked released in
   *   the same transaction, and not counted as a repeat.
   * @param options.copied when the original is stored (same source and subject,
   *   same millisecond, same bytes), the event is a duplicate and is not counted.
   * @throws PortariaError `store-full`, `store-failed`: nothing was stored; `store-busy`: the event may have been stored
   *   all the same, and a repeat is a duplicate then.
   */
  accept(event: IdentifiedEvent, routes: readonly Route[], options?: AcceptOptions): Promise<Acceptance>;

  /** As `accept`, unless the subject has changed since it was seen. */
  acceptUnlessMoved(
    event: IdentifiedEvent,
    routes: readonly Route[],
    options: AcceptOptions & SeenSubject,
  ): Promise<Acceptance | Moved>;

  /**
   * Gives a reconciled event the content and identity of the webhook that it stands for, and the deliveries that it
   * lacks, in one transaction. Its kind stays. The webhook and its repeats are repeats of it from then on. What was
   * pruned or erased stays so. Until the webhook is accepted, filling in again changes nothing more.
   *
   * @returns false when another webhook was faster
   */
  fillReconciled(eventId: string, webhook: IdentifiedEvent, filling: Filling): Promise<boolean>;

  /**
   * Quarantines a rejected delivery with its bytes. The same bytes from the same source
   * are counted on the entry (`repeat`) until it is released.
   *
   * The quota limits the bytes of all entries to be released: docs/limits.md says which
   * entries it drops.
   *
   * @throws PortariaError as `accept`.
   */
  quarantine(rejected: RejectedDelivery): Promise<Quarantining>;
}

/** What became of an event whose kind was defined after it came. */
export type Recognition =
  /** `pending`: the number of its deliveries that wait to run. */
  | { readonly status: 'recognized'; readonly verdict: Verdict; readonly pending: number }
  /**
   * It stays unrecognized. `duplicate`: another event has its content. `held`: it would leave a subject under a legal
   * hold. `waiting`: it would leave a lane in which a delivery of it waits. `erased`: a person was erased from it.
   */
  | { readonly status: 'duplicate' | 'held' | 'waiting' | 'erased' };

/** Recognizes events that came before their kind was defined. */
export interface Recognitions {
  /**
   * Makes an unrecognized event one of its kind, in one transaction: it gets the subject, the version, and the verdict
   * that it would have got when it came, and the deliveries that it lacks. Its id, its time, its digest and its message
   * id stay. A delivery is stored as skipped if a later version of the subject is known.
   *
   * @param event the same event, identified by the contract as it is now
   * @throws PortariaError `not-found` when there is no such event, or it is recognized
   */
  recognize(
    eventId: string,
    event: IdentifiedEvent,
    routes: readonly Route[],
    overtaken?: AcceptOptions['overtaken'],
  ): Promise<Recognition>;
}

export type Resolution = 'confirmed' | 'superseded' | 'unconfirmed';

/** The flags of resolved events. */
export const resolutions: readonly Resolution[] = ['confirmed', 'superseded', 'unconfirmed'];

/** Records the resolution of ambiguous events. */
export interface Ambiguities {
  /**
   * Records a resolution as a flag of the event, and returns the recorded one.
   * Only the first call records; later calls return its resolution.
   *
   * A superseded event leaves the subject's history, and the event before it
   * becomes the latest again. If the event was repeated since `repeats` was read,
   * `unconfirmed` is recorded instead: a repeat may have been a real return.
   *
   * @throws PortariaError `invalid-argument` when the event is not ambiguous.
   */
  resolveAmbiguity(eventId: string, found: Resolution, repeats: number): Promise<Resolution>;
}
