/** The event that handlers receive. */
import type { DataOf, EventKind } from '../../contract/catalogue.ts';
import type { KindsOf } from '../../contract/event-pattern.ts';
import type { EventRecord } from '../../event/stored-event.ts';
import type { KindDefinition } from '../kinds/kind-definition.ts';
import type { JsonValue } from '../../kernel/json/json.ts';

/** An event of one kind of the contract, with its payload typed. */
export type TypedEvent<K extends EventKind> = K extends EventKind
  ? Omit<EventRecord, 'kind' | 'recognized'> & {
      readonly kind: K;
      readonly recognized: true;
      readonly data: DataOf<K>;
    }
  : never;

/**
 * The events that kinds and wildcards match, as a union that narrows by
 * `kind`: `EventOf<'company.created'>`, `EventOf<'traffic-violation.*'>`.
 */
export type EventOf<P extends string> = TypedEvent<KindsOf<P>>;

/**
 * A kind that the contract does not contain. The specification names the first
 * two without showing their payload. The last member covers every other string
 * but equals no kind of the contract, so that `event.kind === 'company.created'`
 * still narrows an event to its payload; a plain `string` would prevent that.
 * To compare it with a kind of your own, widen it: `const kind: string = event.kind`.
 */
export type UnrecognizedKind = 'user.login.failed' | `company.sync.${string}` | `${string} (unrecognized)`;

/** An event whose kind is not in the contract. Its payload has not been validated. */
export type UnrecognizedEvent = Omit<EventRecord, 'kind' | 'recognized'> & {
  readonly kind: UnrecognizedKind;
  readonly recognized: false;
  readonly data: JsonValue;
};

/** An event of a custom kind, or of a kind of the specification that is changed, with its payload typed. */
export type OwnEvent<K> =
  K extends KindDefinition<infer Kind, infer Data>
    ? Omit<EventRecord, 'kind' | 'recognized'> & {
        readonly kind: Kind;
        readonly recognized: true;
        readonly data: Data;
      }
    : never;

/**
 * The events that entries of `on` match. A wildcard also matches custom kinds; they have a type only where
 * `on` names them, so name them beside the wildcard.
 */
export type EventFor<P> =
  | TypedEvent<Exclude<KindsOf<Extract<P, string>>, Extract<P, KindDefinition>['kind']>>
  | OwnEvent<Extract<P, KindDefinition>>;

/** The events that a handler on `P` receives. Only a wildcard also matches unrecognized events. */
export type HandlerEvent<P> =
  EventFor<P> | (Extract<P, `${string}*${string}`> extends never ? never : UnrecognizedEvent);

/** An event in which enumerations have the values that the contract lists, and no others. */
export type StrictEvent<E> = E extends { readonly recognized: true; readonly data: infer Data }
  ? Omit<E, 'data'> & { readonly data: StrictValues<Data> }
  : E;

/** A payload without the `string` of its enumerations. Fields with examples alone stay as they are. */
type StrictValues<T> = [ListedIn<T>] extends [never]
  ? Within<T>
  : 'exampleOnly' extends KeysOf<T>
    ? T
    : ListedIn<T> | Within<Exclude<T, string>>;

type ListedIn<T> = T extends string ? (string extends T ? never : T) : never;

type KeysOf<T> = T extends string ? keyof T : never;

type Within<T> = T extends string ? T : T extends object ? { [Field in keyof T]: StrictValues<T[Field]> } : T;
