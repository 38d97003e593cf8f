import type { Readable } from 'node:stream';
import type { RawDelivery } from '../event/delivery.ts';
import type { Receipt } from '../event/receipt.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import { isCrossOrigin, isLoopbackHost } from '../kernel/http/browser-guard.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { answerTo, answerToRefusal, type Answer, type OnInvalid } from './answer.ts';
import type { BodyRoom } from './body-room.ts';
import { endOfTick } from './end-of-tick.ts';
import { readBody, tooLargeMessage } from './read-body.ts';
import { refusalOf } from './refusal.ts';

export interface ReceiveOptions {
  /** Makes a delivery durable; what it returns is acknowledged. */
  readonly receive: (delivery: RawDelivery) => Promise<Receipt>;
  /** Names of the configured sources; `default` is plain `/webhooks`. */
  readonly sources: { has(name: string): boolean };
  /** Those of them that nobody verifies and only this machine reaches: they answer to its own names. */
  readonly loopbackOnly?: { has(name: string): boolean };
  readonly maxBodyBytes: number;
  /** Milliseconds a body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** For the bodies of all requests until they are answered. */
  readonly bodyRoom: BodyRoom;
  readonly onInvalid: OnInvalid;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** Whether the process is on its way out and takes nothing more. */
  readonly stopping: () => boolean;
  /** Whether webhooks can be stored, as far as known; yes unless given. */
  readonly healthy?: () => boolean;
}

/** A webhook on the wire, its body not yet read. */
export interface IncomingWebhook {
  /** As the path names it; nobody has looked whether there is one. */
  readonly source: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names in lower case of those that were sent more than once. */
  readonly repeatedHeaders: readonly string[];
  readonly body: Readable;
}

/** Takes a webhook in and says what to answer, whatever happens: it never rejects. */
export type ReceiveWebhook = (webhook: IncomingWebhook) => Promise<Answer>;

export function createReceiveWebhook(options: ReceiveOptions): ReceiveWebhook {
  const { clock, telemetry, sources, bodyRoom } = options;
  const limits = { maxBytes: options.maxBodyBytes, timeoutMs: options.bodyTimeoutMs, room: bodyRoom };
  /** What anybody can make up must not become a metric's label. */
  const named = (source: string): string => (sources.has(source) ? source : 'unknown');
  return async (webhook) => {
    const { source, headers, repeatedHeaders } = webhook;
    const startedAt = clock.monotonic();
    let bytes = 0;
    let answer: Answer;
    try {
      refuseBrowsers(webhook, options);
      refuseUnread(webhook, options);
      const body = await readBody(webhook.body, limits, clock);
      bytes = body.length;
      const receivedAt = clock.now();
      const delivery: RawDelivery = { stage: 'raw', source, receivedAt, headers, repeatedHeaders, body };
      // A tick first reads all bodies, and then processes all events.
      await endOfTick();
      answer = answerTo(await options.receive(delivery), options.onInvalid);
    } catch (error) {
      const refusal = refusalOf(error);
      const { result } = refusal;
      if (refusal.isTrouble) telemetry.emit('webhook.failed', { source: named(source), result, error });
      answer = answerToRefusal(refusal);
    }
    bodyRoom.leave(bytes);
    telemetry.emit('webhook.answered', {
      source: named(source),
      status: answer.status,
      result: answer.result,
      kind: answer.kind,
      id: answer.id,
      bytes,
      durationMs: clock.monotonic() - startedAt,
    });
    return answer;
  };
}

/**
 * Refuses what a page anywhere can have a browser post to a port of this machine. Senders send no such headers.
 *
 * @throws PortariaError `forbidden`
 */
function refuseBrowsers({ source, headers }: IncomingWebhook, { loopbackOnly }: ReceiveOptions): void {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (isCrossOrigin({ host, origin, site }))
    throw new PortariaError(
      'forbidden',
      'Web pages of other origins are not answered; post it from a server, without Origin and Sec-Fetch-Site',
    );
  if (host !== undefined && loopbackOnly?.has(source) === true && !isLoopbackHost(host))
    throw new PortariaError(
      'forbidden',
      'Nothing is verified here, so only localhost, 127.0.0.1 and [::1] are answered; set PORTARIA_VERIFY, or have the proxy in front send Host: localhost',
    );
}

/**
 * What can be refused by its headers is, before the body is read.
 *
 * @throws PortariaError `stopping`, `unknown-source`, `unsupported-encoding`, `body-too-large`
 */
function refuseUnread(
  { source, headers }: IncomingWebhook,
  { sources, maxBodyBytes, stopping }: ReceiveOptions,
): void {
  if (stopping()) throw new PortariaError('stopping', 'Shutting down; send it again');
  if (!sources.has(source)) throw new PortariaError('unknown-source', 'There is no source of that name');
  const encoding = headers['content-encoding'] ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw new PortariaError(
      'unsupported-encoding',
      'The body must be sent as it is, without content-encoding',
    );
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
    throw new PortariaError('body-too-large', tooLargeMessage(maxBodyBytes));
}
