/** Tells other processes that something was stored, and listens to them. */
import type pg from 'pg';
import { backoffMs, type RetryPolicy } from '../../../../kernel/time/backoff.ts';
import type { Random } from '../../../../kernel/random.ts';
import type { Cancel, Clock } from '../../../../kernel/time/clock.ts';
import type { ForeignChanges } from '../../../foreign-changes.ts';
import { createClient } from './client.ts';
import { createOpenSockets, RESPONSE_TIMEOUT_MS } from './pools.ts';
import type { Transact } from './transaction.ts';

/** Milliseconds between two notifications of a process, at least. */
const INTERVAL_MS = 50;

/** Waits before a connection that failed is opened again. */
const RECONNECT: RetryPolicy = { attempts: Infinity, baseMs: 2_000, maxMs: 30_000 };

/** The transaction of a notification needs no wait for the disk: whoever misses it polls. */
const notify = 'begin; set local synchronous_commit = off; notify portaria; commit';

/**
 * Tells other processes that something was stored, and is told. Notifications are sent after commits, on another
 * connection, because a transaction that notifies keeps all others that do from committing meanwhile.
 */
export interface Notifications extends Pick<ForeignChanges, 'onForeignChange'> {
  /** Returns `transact`, after whose commits this notifies the others. */
  announcing(transact: Transact): Transact;
  /** Sends what is to be sent, and closes the connection. */
  end(): Promise<void>;
}

export interface NotificationOptions {
  /** The address without a pooler, which may pass no notifications on; null listens to none. */
  readonly url: string | null;
  /** Sends while this process does not listen. */
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether another process may listen. */
  readonly hasOthers: () => boolean;
  /** Milliseconds that a statement waits for a response. */
  readonly responseTimeoutMs?: number;
}

export function createNotifications(options: NotificationOptions): Notifications {
  const { url, pool, clock, random, hasOthers, responseTimeoutMs = RESPONSE_TIMEOUT_MS.lease } = options;
  const callbacks = new Set<() => void>();
  const sockets = createOpenSockets();
  /** Listens, once it is connected. */
  let listening: pg.Client | undefined;
  let opening: Promise<void> | undefined;
  let failures = 0;
  let cancelReconnect: Cancel = () => undefined;
  let ended = false;

  /** Whether something is to be sent. */
  let due = false;
  let sentAt = -Infinity;
  let sending: Promise<void> | undefined;
  let cancelSend: Cancel | undefined;

  function announce(): void {
    if (ended || !hasOthers()) return;
    due = true;
    if (sending !== undefined || cancelSend !== undefined) return;
    const wait = sentAt + INTERVAL_MS - clock.monotonic();
    if (wait <= 0) send();
    else cancelSend = clock.after(wait, send);
  }

  function send(): void {
    cancelSend?.();
    cancelSend = undefined;
    due = false;
    sentAt = clock.monotonic();
    const client = listening;
    const sent: Promise<unknown> = (client ?? pool).query(notify);
    sending = sent
      .then(() => undefined)
      // The others poll. A connection that does not respond is opened again.
      .catch(() => void client?.end().catch(() => undefined))
      .finally(() => {
        sending = undefined;
        if (due) announce();
      });
  }

  function callAll(): void {
    for (const callback of callbacks) callback();
  }

  async function open(): Promise<void> {
    if (url === null) return;
    // A connection that is cut without a word would otherwise keep this process from listening and notifying.
    const client = createClient(url, 'listen', { stream: sockets.open, query_timeout: responseTimeoutMs });
    const lost = () => {
      // Both an error and the end are reported.
      client.removeAllListeners('end');
      if (listening === client) listening = undefined;
      reconnect();
    };
    client.once('end', lost);
    const ownId = () => (client as pg.Client & { readonly processID: number | null }).processID;
    client.on('notification', ({ processId }) => {
      if (processId !== ownId()) callAll();
    });
    try {
      await client.connect();
      await client.query('listen portaria');
    } catch {
      client.removeAllListeners('end');
      await client.end().catch(() => undefined);
      reconnect();
      return;
    }
    listening = client;
    failures = 0;
    // Something may have been stored while this process did not listen.
    callAll();
  }

  function reconnect(): void {
    if (ended) return;
    failures += 1;
    cancelReconnect = clock.after(backoffMs(RECONNECT, failures, random), () => {
      opening = open();
    });
  }

  return {
    announcing: (transact) => async (work, options) => {
      const value = await transact(work, options);
      announce();
      return value;
    },
    onForeignChange(callback) {
      callbacks.add(callback);
      // Who only accepts, or only reads, does not listen.
      opening ??= open();
      return () => {
        callbacks.delete(callback);
      };
    },
    async end() {
      ended = true;
      cancelReconnect();
      await opening;
      cancelSend?.();
      // A command announces its last change. A server need not: the others poll.
      if (listening === undefined) {
        await sending;
        if (due) send();
        await sending;
      }
      listening?.removeAllListeners('end');
      if (listening !== undefined) await sockets.endAfter(listening.end().catch(() => undefined));
    },
  };
}
