/** Asks the provider whether an ambiguous event holds the current content. */
import type { Client } from '../client/client.ts';
import { ClientError, type ClientErrorCode } from '../client/client-error.ts';
import { catalogue, isEventKind } from '../contract/catalogue.ts';
import type { Confirm, Finding } from '../dispatch/attempt/resolve-ambiguity.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { currentContent } from './current-content.ts';
import { recordReaders, type ReadRecord } from './record-readers.ts';

/** Milliseconds for all attempts of a call, because the event's lanes wait for it. */
const MAX_WAIT_MS = 5_000;
/** The source that the API key belongs to. Another source may be another organization, with its own ids. */
const SOURCE = 'default';

/** Failures that the next call would repeat. */
const outages: ReadonlySet<ClientErrorCode> = new Set([
  'unauthorized',
  'rate-limited',
  'refused',
  'provider-failed',
  'unreachable',
  'timed-out',
]);

interface ConfirmDeps {
  /** Loads the client when it is first used. */
  readonly client: () => Client;
  readonly clock: Clock;
}

/**
 * Creates the check of ambiguous events: it reads the record of an event from the
 * provider's API and compares it with the event. Any failure, also of the client,
 * leaves the event unconfirmed.
 */
export function createConfirm({ client, clock }: ConfirmDeps): Confirm {
  const cooldown = createCooldown(clock);

  async function find(...[event, readBefore, outer]: Parameters<Confirm['find']>): Promise<Finding> {
    const read = readerOf(event);
    if (read === null) return unconfirmed('the API cannot read its record');
    if (!cooldown.allowsCall()) return unconfirmed('the provider failed less than a minute ago');
    const before = await readBefore();
    if (before === undefined) return unconfirmed('the event before it is not stored');
    const timeout = new AbortController();
    const cancel = clock.after(MAX_WAIT_MS, () => {
      timeout.abort();
    });
    try {
      const record = await read(client(), event, { signal: AbortSignal.any([outer, timeout.signal]) });
      cooldown.end();
      if (record === undefined) return unconfirmed('the provider has no such record');
      const resolution = currentContent(record, event.data, before.data);
      if (resolution !== 'unconfirmed') return { resolution, reason: null };
      return unconfirmed('the record has neither the content of the event nor the content before it');
    } catch (error) {
      outer.throwIfAborted();
      if (timeout.signal.aborted) {
        cooldown.start();
        return unconfirmed(`no response within ${String(MAX_WAIT_MS)} ms`);
      }
      // An invalid id or a bug: it says nothing about the provider.
      if (!ClientError.is(error)) return unconfirmed(failureReason(error));
      if (outages.has(error.code)) cooldown.start();
      else cooldown.end();
      return unconfirmed(error.message);
    } finally {
      cancel();
    }
  }

  return { asks: (event) => readerOf(event) !== null, find };
}

function readerOf({ kind, source }: StoredEvent): ReadRecord | null {
  return source === SOURCE && isEventKind(kind) ? recordReaders[catalogue[kind].family] : null;
}

function unconfirmed(reason: string): Finding {
  return { resolution: 'unconfirmed', reason };
}

/** Milliseconds without a call after the provider failed. */
const COOLDOWN_MS = 60_000;

/**
 * Suspends calls to a provider that does not respond. After a minute it allows
 * a single probe, and further calls only when the probe has succeeded.
 */
interface Cooldown {
  /** Reports whether a call may be made now. */
  allowsCall(): boolean;
  /** Records that the provider did not respond. */
  start(): void;
  /** Records that the provider responded. */
  end(): void;
}

export function createCooldown(clock: Pick<Clock, 'monotonic'>): Cooldown {
  /** Null while the provider responds. */
  let probeAt: number | null = null;
  const start = (): void => {
    probeAt = clock.monotonic() + COOLDOWN_MS;
  };
  return {
    allowsCall() {
      if (probeAt === null) return true;
      if (clock.monotonic() < probeAt) return false;
      start();
      return true;
    },
    start,
    end() {
      probeAt = null;
    },
  };
}
