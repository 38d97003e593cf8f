/** Gives rehearsed code the time and the randomness of its event. */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import type { Random } from '../kernel/random.ts';
import type { SentRequest } from './protocol.ts';

/** One run of a handler. */
export interface Run {
  /** When its event arrived. Time stands still in a run; timers are real. */
  readonly now: number;
  readonly random: Random;
  readonly requests: SentRequest[];
}

/** The run that code belongs to; `own` is Portaria's store, which has the real time and the network. */
export const scope = new AsyncLocalStorage<Run | 'own'>();

export function currentRun(): Run | undefined {
  const run = scope.getStore();
  return run === 'own' ? undefined : run;
}

/** A function of the platform, of whatever type. */
export type Own = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a member of the platform; `by` gets the own one. */
export function replace(holder: object, name: string, by: (own: Own) => unknown): void {
  const own = Reflect.get(holder, name) as Own;
  Object.defineProperty(holder, name, { value: by(own), configurable: true, writable: true });
}

export function enterEventTime(): void {
  const { Date } = globalThis;
  const now = (): number => currentRun()?.now ?? Date.now();
  const date = new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new Date(now()).toString(),
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
  replace(globalThis, 'Date', () => date);
  replace(Math, 'random', (own) => () => (currentRun()?.random ?? own)());
  for (const holder of [crypto, Object.getPrototypeOf(globalThis.crypto) as object])
    replace(holder, 'randomUUID', (own) => uuidBy(own));
}

function uuidBy(own: Own): Own {
  return function randomUUID(this: unknown, ...args) {
    const run = currentRun();
    if (run === undefined) return own.apply(this, args);
    const digit = (): string => Math.floor(run.random() * 16).toString(16);
    return 'xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx'.replaceAll('x', digit);
  };
}
