import type { RetryPolicy } from '../kernel/time/backoff.ts';
import { type Clock, systemClock } from '../kernel/time/clock.ts';
import { PortariaError, type Problem } from '../kernel/errors.ts';
import type { Random } from '../kernel/random.ts';
import type { Connection, Fetch } from './connection.ts';
import type { Drift } from './drift.ts';

export interface ClientOptions {
  /** The provider's base address, without `/v1`. */
  readonly url: string;
  /** The organization's key (specification, Authentication 1). */
  readonly apiKey: string;
  /** Milliseconds that each try has for its whole answer; 30,000 unless said otherwise. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a call has for all of its tries and the waits between them; 120,000. */
  readonly totalTimeoutMs?: number | undefined;
  /** Milliseconds without a byte after which a stream is taken for dead and opened anew; 90,000. */
  readonly idleMs?: number | undefined;
  /** 4 tries, from half a second to 8 seconds apart, where a call may be tried again at all. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Told when an answer is not what the contract says. The answer is returned all the same. */
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  readonly fetch?: Fetch | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

const patience: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 8_000 };

/** @throws PortariaError `misconfigured` naming everything that is wrong. */
export function readClientOptions(options: ClientOptions): Connection {
  const problems = [...wrongUrl(options.url), ...wrongKey(options.apiKey)];
  if (problems.length > 0)
    throw new PortariaError('misconfigured', `The client cannot be made: ${texts(problems)}`, { problems });
  return {
    url: options.url.replace(/\/+$/, ''),
    apiKey: options.apiKey,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    timeoutMs: options.timeoutMs ?? 30_000,
    totalTimeoutMs: options.totalTimeoutMs ?? 120_000,
    idleMs: options.idleMs ?? 90_000,
    retry: { ...patience, ...options.retry },
    onDrift: options.onDrift ?? (() => undefined),
  };
}

function wrongUrl(text: string): Problem[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return [{ where: 'url', message: 'must be a whole address that begins with http:// or https://' }];
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return [{ where: 'url', message: 'must hold no user name, password, query or fragment' }];
  return [];
}

/** Of what a header can carry; never repeated in a message. */
function wrongKey(text: string): Problem[] {
  if (/^[!-~]+$/.test(text)) return [];
  return [{ where: 'apiKey', message: 'must be printable ASCII without spaces, and not empty' }];
}

function texts(problems: readonly Problem[]): string {
  return problems.map(({ where, message }) => `${where} ${message}`).join('; ');
}
