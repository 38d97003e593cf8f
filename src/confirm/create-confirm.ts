import type { Client } from '../client/client.ts';
import { ClientError, type ClientErrorCode } from '../client/client-error.ts';
import { catalogue, isEventKind } from '../contract/catalogue.ts';
import type { Confirm, Finding } from '../dispatch/resolve-ambiguity.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { currentContent } from './current-content.ts';
import { createPatience } from './patience.ts';
import { recordReaders, type ReadRecord } from './record-readers.ts';

/** What all tries of one question may take, in milliseconds: the event's lanes wait for it. */
const MAX_WAIT_MS = 5_000;
/** The source that the API's key belongs to: others may be other organizations, whose ids are their own. */
const SOURCE = 'default';

/** Failures that the next question would end with, too. */
const lasting: ReadonlySet<ClientErrorCode> = new Set([
  'unauthorized',
  'rate-limited',
  'refused',
  'provider-failed',
  'unreachable',
  'timed-out',
]);

interface ConfirmParts {
  readonly client: () => Client;
  readonly clock: Clock;
}

/** Asks the provider for the record that an ambiguous event is about. */
export function createConfirm({ client, clock }: ConfirmParts): Confirm {
  const patience = createPatience(clock);

  async function find(...[event, readBefore, outer]: Parameters<Confirm['find']>): Promise<Finding> {
    const read = readerOf(event);
    if (read === null) return unconfirmed('no record can be read of it');
    if (!patience.allows()) return unconfirmed('the provider has not answered of late');
    const before = await readBefore();
    if (before === undefined) return unconfirmed('what came before it is not kept');
    const late = new AbortController();
    const cancel = clock.after(MAX_WAIT_MS, () => {
      late.abort();
    });
    try {
      const record = await read(client(), event, { signal: AbortSignal.any([outer, late.signal]) });
      patience.regain();
      if (record === undefined) return unconfirmed('the provider has no such record');
      const resolution = currentContent(record, event.data, before.data);
      if (resolution !== 'unconfirmed') return { resolution, reason: null };
      return unconfirmed('its record has neither this content nor the one before');
    } catch (error) {
      outer.throwIfAborted();
      if (late.signal.aborted) {
        patience.lose();
        return unconfirmed(`no answer within ${String(MAX_WAIT_MS)} ms`);
      }
      // An id that cannot be one, or a mistake of ours: it says nothing of the provider.
      if (!ClientError.is(error)) return unconfirmed(failureReason(error));
      if (lasting.has(error.code)) patience.lose();
      else patience.regain();
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
