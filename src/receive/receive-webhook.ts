/** Receives one webhook: reads the body, runs the pipeline, and chooses the response. */
import type { Readable } from 'node:stream';
import type { RawDelivery } from '../event/delivery.ts';
import type { Receipt } from '../event/receipt.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import { isCrossOrigin, isLoopbackHost } from '../kernel/http/browser-guard.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { readBody, tooLargeMessage, type BodyMemory } from './read-body.ts';
import type { SourceAnswers } from './source-answers.ts';
import { responseToError, responseToReceipt, type OnInvalid, type WebhookResponse } from './responses.ts';

export interface ReceiveOptions {
  /** Makes a delivery durable and returns the receipt that the response acknowledges. */
  readonly receive: (delivery: RawDelivery) => Promise<Receipt>;
  /** Names of the configured sources; `default` is plain `/webhooks`. */
  readonly sources: { has(name: string): boolean };
  /** Unverified sources on a loopback address: their requests must name this machine in `Host`. */
  readonly loopbackOnly?: { has(name: string): boolean };
  /** The sources that answer in ways of their own. */
  readonly answers?: ReadonlyMap<string, SourceAnswers>;
  readonly maxBodyBytes: number;
  /** Milliseconds a body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** Shared by the bodies of all requests until their responses are sent. */
  readonly bodyMemory: BodyMemory;
  readonly onInvalid: OnInvalid;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Whether the process is shutting down. */
  readonly stopping: () => boolean;
}

/** A webhook whose body has not been read. */
export interface IncomingWebhook {
  /** From the path; it may name no configured source. */
  readonly source: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Host and port that it was sent to; undefined in a request of HTTP/1.0 without `Host`. */
  readonly host: string | undefined;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lower-case names of the headers that were sent more than once. */
  readonly repeatedHeaders: readonly string[];
  readonly body: Readable;
}

/** Receives a webhook and returns its response. Never rejects. */
export type ReceiveWebhook = (webhook: IncomingWebhook) => Promise<WebhookResponse>;

/** The path of one webhook: check its headers, read its body, make it durable, respond and report. */
export function createReceiveWebhook(options: ReceiveOptions): ReceiveWebhook {
  const { clock, telemetry, sources, bodyMemory } = options;
  const limits = { maxBytes: options.maxBodyBytes, timeoutMs: options.bodyTimeoutMs, memory: bodyMemory };
  const endOfTick = createEndOfTick();
  // Anybody can invent a source, so unknown names must not become metric labels.
  const sourceLabel = (source: string): string => (sources.has(source) ? source : 'unknown');

  return async (webhook) => {
    const { source, method, target, headers, repeatedHeaders } = webhook;
    const startedAt = clock.monotonic();
    let bytes = 0;
    const answers = options.answers?.get(source);
    let response: WebhookResponse;
    try {
      checkOrigin(webhook, options);
      checkHeaders(webhook, options);
      const body = await readBody(webhook.body, limits, clock);
      bytes = body.length;
      const receivedAt = clock.now();
      const delivery: RawDelivery = {
        ...{ stage: 'raw', source, receivedAt, headers, repeatedHeaders, body, method },
        ...addressOf(target),
      };
      const greeting = answers?.greet == null ? undefined : await answers.greet(delivery);
      if (greeting === undefined) {
        await endOfTick();
        response = responseToReceipt(await options.receive(delivery), options.onInvalid);
      } else response = { ...greeting, result: 'handshake', kind: null, id: null };
    } catch (error) {
      const failed = responseToError(error);
      if (failed.isFailure)
        telemetry.emit('webhook.failed', { source: sourceLabel(source), result: failed.result, error });
      response = failed;
    }
    if (answers !== undefined) response = answers.respond(response);
    bodyMemory.release(bytes);
    telemetry.emit('webhook.responded', {
      source: sourceLabel(source),
      status: response.status,
      result: response.result,
      kind: response.kind,
      id: response.id,
      ...(response.notVerified && { notVerified: response.notVerified }),
      ...(!sources.has(source) && { path: `/webhooks/${source}` }),
      bytes,
      durationMs: clock.monotonic() - startedAt,
    });
    return response;
  };
}

const NO_QUERY = { search: '', query: {}, repeatedQuery: [] } as const;

/** The names that occur more than once. */
export function repeatedOf(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(names.filter((name) => seen.size === seen.add(name).size))];
}

/** The parts of an address, for verification. Most webhooks have no query. */
function addressOf(target: string): Pick<RawDelivery, 'path' | 'search' | 'query' | 'repeatedQuery'> {
  const at = target.indexOf('?');
  if (at === -1) return { path: target, ...NO_QUERY };
  const search = target.slice(at);
  const sent = [...new URLSearchParams(search)];
  const repeatedQuery = repeatedOf(sent.map(([name]) => name));
  return { path: target.slice(0, at), search, query: Object.fromEntries(sent), repeatedQuery };
}

/**
 * Creates a function that resolves at the end of this tick of the event loop, for all callers at once. Bodies of
 * all sockets are then read before the first event is parsed, so that each step finds its code in the processor's
 * caches.
 */
export function createEndOfTick(): () => Promise<void> {
  let tickEnd: Promise<void> | undefined;
  return () =>
    (tickEnd ??= new Promise((resolve) => {
      setImmediate(() => {
        tickEnd = undefined;
        resolve();
      });
    }));
}

/**
 * Rejects what a web page can make a browser post to this machine. Webhook senders send no such headers.
 *
 * @throws PortariaError `forbidden`
 */
function checkOrigin({ source, host, headers }: IncomingWebhook, { loopbackOnly }: ReceiveOptions): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (isCrossOrigin({ host, origin, site }))
    throw new PortariaError(
      'forbidden',
      'Requests from web pages of other origins are rejected; send webhooks from a server, without Origin and Sec-Fetch-Site',
    );
  if (loopbackOnly?.has(source) === true && !isLoopbackHost(host ?? ''))
    throw new PortariaError(
      'forbidden',
      'This source is not verified, so Host must be localhost, 127.0.0.1 or [::1]; set PORTARIA_VERIFY, or have the proxy in front send Host: localhost',
    );
}

/** Encodings that change no byte: none, and character sets, which some senders name here by mistake. */
const NOT_COMPRESSED = /^(?:identity|utf-?8|us-ascii|iso-8859-1)?$/iu;

/**
 * Rejects by the headers alone, before the body is read.
 *
 * @throws PortariaError `stopping`, `unknown-source`, `unsupported-encoding`, `body-too-large`
 */
function checkHeaders(
  { source, headers }: IncomingWebhook,
  { sources, maxBodyBytes, stopping }: ReceiveOptions,
): void {
  if (stopping()) throw new PortariaError('stopping', 'Shutting down; send it again');
  if (!sources.has(source)) throw new PortariaError('unknown-source', 'No source has this name');
  if (!NOT_COMPRESSED.test(headers['content-encoding'] ?? ''))
    throw new PortariaError(
      'unsupported-encoding',
      'Compressed bodies are not supported; send the body without content-encoding',
    );
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
    throw new PortariaError('body-too-large', tooLargeMessage(maxBodyBytes));
}
