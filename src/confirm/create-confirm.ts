/** Asks the provider whether an ambiguous event holds the current content, with a pause after it has failed. */
import type { Client } from '../client/client.ts';
import { ClientError, type ClientErrorCode } from '../client/client-error.ts';
import { catalogue, isEventKind } from '../contract/catalogue.ts';
import type { Confirm, Finding } from '../dispatch/attempt/resolve-ambiguity.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { contentDifferences, isSameValue } from '../contract/content-differences.ts';
import { memberAt, type JsonValue } from '../kernel/json/json.ts';
import type { Resolution } from '../store/inbox.ts';
import { createCooldown, type Cooldown } from './cooldown.ts';
import { recordReaders, type ReadRecord } from './read-record.ts';

/** Milliseconds for all attempts of a call, because the event's lanes wait for it. */
const MAX_WAIT_MS = 5_000;

/** Failures that the next call would repeat. */
export const outages: ReadonlySet<ClientErrorCode> = new Set([
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
  /** Shared with others that call the same API. */
  readonly cooldown?: Cooldown;
  /** The source that the API belongs to. Another one may be another organization, with its own ids. */
  readonly source?: string;
}

/**
 * Creates the check of ambiguous events: it reads the record of an event from the
 * provider's API and compares it with the event. Any failure, also of the client,
 * leaves the event unconfirmed.
 */
export function createConfirm({
  client,
  clock,
  cooldown = createCooldown(clock),
  source = 'default',
}: ConfirmDeps): Confirm {
  function readerOf(event: StoredEvent): ReadRecord | null {
    const { kind } = event;
    return event.source === source && isEventKind(kind) ? recordReaders[catalogue[kind].family] : null;
  }

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

function unconfirmed(reason: string): Finding {
  return { resolution: 'unconfirmed', reason };
}

/**
 * Compares a record of the provider with two contents of its events: the one an
 * event returned to (`confirmed`) and the one before it (`superseded`).
 *
 * It compares only fields in which the two contents differ and that the record
 * has. Other fields may change without an event (interest accrues daily) or
 * appear in webhooks only (`company.tax_id`). A record that matches neither, or
 * matches each in part, is `unconfirmed`.
 */
export function currentContent(record: unknown, returned: unknown, before: unknown): Resolution {
  const at = (value: unknown, path: readonly string[]) => memberAt(value as JsonValue, path);
  const changes = contentDifferences(returned, before)
    .map((path) => ({ now: at(record, path), returned: at(returned, path), before: at(before, path) }))
    // A null is a value; an absent field is unknown.
    .filter(({ now }) => now !== undefined);
  if (changes.length === 0) return 'unconfirmed';
  if (changes.every((change) => isSameValue(change.now, change.returned))) return 'confirmed';
  if (changes.every((change) => isSameValue(change.now, change.before))) return 'superseded';
  return 'unconfirmed';
}
