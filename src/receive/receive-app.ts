import { Hono, type Context } from 'hono';
import type { RawDelivery } from '../event/raw-delivery.ts';
import type { Receipt } from '../event/receipt.ts';
import type { Clock } from '../kernel/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { answerTo, answerToRefusal, errorBody, type Answer, type OnInvalid } from './answer.ts';
import { readBody, tooLargeMessage } from './read-body.ts';
import { refusalOf } from './refusal.ts';
import { bodyStream, headerRecord, type WireEnv } from './wire.ts';

export interface ReceiveOptions {
  /** Makes a delivery durable; what it returns is acknowledged. */
  readonly receive: (delivery: RawDelivery) => Promise<Receipt>;
  /** Names of the configured sources; `default` is plain `/webhooks`. */
  readonly sources: { has(name: string): boolean };
  readonly maxBodyBytes: number;
  /** Milliseconds a body may take to arrive. */
  readonly bodyTimeoutMs: number;
  readonly onInvalid: OnInvalid;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** Whether the process is on its way out and takes nothing more. */
  readonly stopping: () => boolean;
  /** Whether webhooks can be stored, as far as known; yes unless given. */
  readonly healthy?: () => boolean;
}

/**
 * The public port: `POST /webhooks`, `POST /webhooks/<source>`, `GET /healthz`,
 * and nothing else. Runs in any Hono app; over sockets see `listen`.
 */
export function createReceiveApp(options: ReceiveOptions): Hono<WireEnv> {
  const app = new Hono<WireEnv>();
  for (const path of ['/webhooks', '/webhooks/:source']) {
    // One handler for all methods: Hono calls a single one directly, and composes several for every request.
    app.all(path, (context) => {
      if (context.req.method !== 'POST') return methodNotAllowed(context, 'POST');
      return receiveWebhook(context, context.req.param('source') ?? 'default', options);
    });
  }
  app.get('/healthz', (context) => health(context, options));
  app.all('/healthz', (context) => methodNotAllowed(context, 'GET, HEAD'));
  app.notFound((context) =>
    context.json(errorBody(404, 'There is nothing here; webhooks go to /webhooks'), 404),
  );
  app.onError((error, context) => {
    options.log.error({ err: error }, 'a request failed');
    return context.json(errorBody(500, 'Something went wrong here'), 500);
  });
  return app;
}

async function receiveWebhook(
  context: Context<WireEnv>,
  source: string,
  options: ReceiveOptions,
): Promise<Response> {
  const { clock, log, telemetry } = options;
  const startedAt = clock.monotonic();
  let bytes = 0;
  let answer: Answer;
  try {
    const delivery = await takeIn(context, source, options);
    bytes = delivery.body.length;
    answer = answerTo(await options.receive(delivery), options.onInvalid);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.isTrouble) log.error({ err: error, source }, 'a webhook could not be taken in');
    answer = answerToRefusal(refusal);
  }
  telemetry.emit('webhook.answered', {
    // What anybody can make up must not become a metric's label.
    source: options.sources.has(source) ? source : 'unknown',
    status: answer.status,
    result: answer.result,
    kind: answer.kind,
    id: answer.id,
    bytes,
    durationMs: clock.monotonic() - startedAt,
  });
  return context.json(answer.body, answer.status, answer.headers);
}

/** Bytes off the wire. What can be refused by its headers is, before the body is read. */
async function takeIn(
  context: Context<WireEnv>,
  source: string,
  { sources, maxBodyBytes, bodyTimeoutMs, clock, stopping }: ReceiveOptions,
): Promise<RawDelivery> {
  if (stopping()) throw new PortariaError('stopping', 'Shutting down; send it again');
  if (!sources.has(source)) throw new PortariaError('unknown-source', 'There is no source of that name');
  const headers = headerRecord(context);
  const encoding = headers['content-encoding'] ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw new PortariaError(
      'unsupported-encoding',
      'The body must be sent as it is, without content-encoding',
    );
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
    throw new PortariaError('body-too-large', tooLargeMessage(maxBodyBytes));

  const limits = { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs };
  const body = await readBody(bodyStream(context), limits, clock);
  return { stage: 'raw', source, receivedAt: clock.now(), headers, body };
}

function health(context: Context<WireEnv>, { stopping, healthy }: ReceiveOptions): Response {
  if (stopping()) return context.json(errorBody(503, 'Shutting down'), 503);
  if (healthy?.() === false) return context.json(errorBody(503, 'Webhooks cannot be stored'), 503);
  return context.json({ status: 'ok' });
}

function methodNotAllowed(context: Context<WireEnv>, allow: string): Response {
  const { method, path } = context.req;
  return context.json(errorBody(405, `${path} takes ${allow}, not ${method}`), 405, { allow });
}
