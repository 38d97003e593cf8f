import type { RetryPolicy } from '../kernel/time/backoff.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Random } from '../kernel/random.ts';
import type { Drift } from './drift.ts';

/** `fetch`, as far as the client needs it: tests hand in one that asks a service in the same process. */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

/** What every call shares. */
export interface Connection {
  /** Without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly idleMs: number;
  readonly retry: RetryPolicy;
  readonly onDrift: (drift: Drift) => void;
}
