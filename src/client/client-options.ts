/** The options of the provider's client. */
import { PortariaError, type Problem } from '../kernel/errors.ts';
import { BLOCKED_PORT, hasBlockedPort } from '../kernel/http/blocked-ports.ts';
import { patientFetch } from '../kernel/http/patient-fetch.ts';
import type { Random } from '../kernel/random.ts';
import type { RetryPolicy } from '../kernel/time/backoff.ts';
import { type Clock, systemClock } from '../kernel/time/clock.ts';
import type { Drift } from './drift.ts';

/** The part of `fetch` that the client uses. A test may pass one that calls a server in the same process. */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

/** The argument of `createClient`. */
export interface ClientOptions {
  /** The provider's base URL, without `/v1`. */
  readonly url: string;
  /** The organization's key (specification, Authentication 1). */
  readonly apiKey: string;
  /** Milliseconds for each attempt, including reading the response (default 30,000). */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for a call with all its attempts and the waits between them (default 120,000). */
  readonly totalTimeoutMs?: number | undefined;
  /** Milliseconds without a byte after which a stream is considered dead and reconnects (default 90,000). */
  readonly idleMs?: number | undefined;
  /** The retry policy of calls that may be repeated safely (default: 4 attempts, waits of up to 0.5 s to 8 s). */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Receives every mismatch between a response and the contract. The call still returns the response. */
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  readonly fetch?: Fetch | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** What every call of a client shares: its options with every default filled in. */
export interface Connection {
  /** Without a trailing slash. */
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

const defaultRetry: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 8_000 };

/** @throws PortariaError `misconfigured`; its message lists every invalid option. */
export function readClientOptions(options: ClientOptions): Connection {
  const problems = [...urlProblems(options.url), ...keyProblems(options.apiKey)];
  if (problems.length > 0) {
    const list = problems.map(({ where, message }) => `${where} ${message}`).join('; ');
    throw new PortariaError('misconfigured', `invalid client options: ${list}`, { problems });
  }
  return {
    url: options.url.replace(/\/+$/, ''),
    apiKey: options.apiKey,
    fetch: options.fetch ?? patientFetch,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    timeoutMs: options.timeoutMs ?? 30_000,
    totalTimeoutMs: options.totalTimeoutMs ?? 120_000,
    idleMs: options.idleMs ?? 90_000,
    retry: { ...defaultRetry, ...options.retry },
    onDrift: options.onDrift ?? (() => undefined),
  };
}

function urlProblems(value: string): Problem[] {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return [{ where: 'url', message: 'must be an absolute URL that begins with http:// or https://' }];
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return [{ where: 'url', message: 'must not contain a user name, password, query or fragment' }];
  if (hasBlockedPort(value)) return [{ where: 'url', message: BLOCKED_PORT }];
  return [];
}

/** Allows what a header can carry. The message must not repeat the key. */
function keyProblems(value: string): Problem[] {
  if (/^[!-~]+$/.test(value)) return [];
  return [{ where: 'apiKey', message: 'must be printable ASCII without spaces, and not empty' }];
}
