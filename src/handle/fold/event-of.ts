import type { DataOf, EventKind } from '../../contract/catalogue.ts';
import type { KindsOf } from '../../contract/event-pattern.ts';
import type { EventRecord } from '../../event/stored-event.ts';

/** An event of one kind of the contract, its payload typed. */
export type TypedEvent<K extends EventKind> = K extends EventKind
  ? Omit<EventRecord, 'kind' | 'recognized'> & {
      readonly kind: K;
      readonly recognized: true;
      readonly data: DataOf<K>;
    }
  : never;

/**
 * The events that kinds and wildcards stand for, as a union that narrows by
 * `kind`: `EventOf<'company.created'>`, `EventOf<'traffic-violation.*'>`.
 */
export type EventOf<P extends string> = TypedEvent<KindsOf<P>>;
