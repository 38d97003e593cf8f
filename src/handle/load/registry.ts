import type { Route } from '../../store/route.ts';
import type { Handler } from '../define/handler.ts';
import type { Machine } from '../define/machine.ts';

/** What a delivery's handler name stands for. */
export type Runnable =
  | { readonly type: 'handler'; readonly handler: Handler }
  | { readonly type: 'fold'; readonly machine: Machine }
  | { readonly type: 'effects'; readonly machine: Machine };

/** All handlers and machines of a process. Built by `createRegistry`. */
export interface Registry {
  readonly definitions: readonly (Handler | Machine)[];
  /** Every name a delivery can carry: handlers, machines, and `<machine>/effects`. */
  readonly deliveryNames: readonly string[];
  /** Who gets an event. Machines only get kinds of the contract. */
  routesFor(event: { readonly kind: string; readonly recognized: boolean }): readonly Route[];
  runnable(deliveryName: string): Runnable | undefined;
  /** For each kind of the contract, the names of those that get it. */
  coverage(): readonly { readonly kind: string; readonly handlers: readonly string[] }[];
}
