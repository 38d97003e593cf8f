import type { JsonValue } from '../../kernel/json/json.ts';
import type { EventRecord } from '../../event/stored-event.ts';
import type { EventOf } from '../fold/event-of.ts';

/**
 * A kind that the contract does not hold. The first two are those that the
 * specification names without showing their payload. The last stands for any
 * other text, and compares with no kind of the contract, so that
 * `event.kind === 'company.created'` narrows an event to its payload (plain
 * `string` would not, nor a branded one). To compare it with a kind of your
 * own, make it a string: `const kind: string = event.kind`.
 */
export type UnrecognizedKind = 'user.login.failed' | `company.sync.${string}` | `${string} (unrecognized)`;

/** An event whose payload nobody has checked: its kind is not in the contract. */
export type UnrecognizedEvent = Omit<EventRecord, 'kind' | 'recognized'> & {
  readonly kind: UnrecognizedKind;
  readonly recognized: false;
  readonly data: JsonValue;
};

/** What a handler on `P` gets: with a wildcard among them, unrecognized events as well. */
export type HandlerEvent<P extends string> =
  EventOf<P> | (Extract<P, `${string}*${string}`> extends never ? never : UnrecognizedEvent);
