import { createBursts } from '../kernel/time/bursts.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { scrub } from './scrub.ts';
import type { DeliveryFields, TelemetryEvents, TelemetryName, TelemetrySubscriber } from './telemetry.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Fields and message of one line. Fields are named one by one: nothing slips in unseen. */
type Content = readonly [fields: object, message: string];

interface Line<Fields> {
  readonly level: (fields: Fields) => Level;
  /** Asked for only where the level is on. */
  readonly content: (fields: Fields) => Content;
  /**
   * For events that strangers cause: those of one kind are summed up. Null for one
   * that has a line of its own. There are few kinds.
   */
  readonly summed?: (fields: Fields, isVerified: IsVerified) => string | null;
}

function at<Fields>(
  level: Level | ((fields: Fields) => Level),
  content: (fields: Fields) => Content,
  summed?: Line<Fields>['summed'],
): Line<Fields> {
  return { level: typeof level === 'string' ? () => level : level, content, ...(summed && { summed }) };
}

/** Whether the senders of a source are verified. */
type IsVerified = (source: string) => boolean;

export interface LogSubscriberOptions {
  readonly clock: Clock;
  readonly isVerified: IsVerified;
}

export interface LogSubscriber {
  readonly report: TelemetrySubscriber;
  /** Writes what is summed up; from then on each event has a line. */
  close(): void;
}

/**
 * One log line per telemetry event. Of those that strangers can cause, the first
 * of a kind has a line at once, and those that follow have one a second in all.
 *
 * `debug` is the ordinary course of deliveries, `info` what arrived and what
 * was done, `warn` what Portaria copes with by itself, `error` what waits for a person.
 */
export function createLogSubscriber(log: Logger, { clock, isVerified }: LogSubscriberOptions): LogSubscriber {
  const bursts = createBursts<(times: number) => void>({
    clock,
    write: (writeLine, times) => {
      writeLine(times);
    },
  });

  function write<N extends TelemetryName>(name: N, fields: TelemetryEvents[N], times: number): void {
    const line = lines[name];
    const [shown, message] = line.content(fields);
    const more = times > 1 ? { times } : {};
    const text = times > 1 ? `${message} (the latest of ${String(times)} since the last such line)` : message;
    log[line.level(fields)]({ event_name: name, ...shown, ...more }, text);
  }

  return {
    report(name, fields) {
      const line = lines[name];
      if (log.isLevelEnabled?.(line.level(fields)) === false) return;
      const kind = line.summed?.(fields, isVerified) ?? null;
      if (kind === null) write(name, fields, 1);
      else
        bursts.add(`${name} ${kind}`, (times) => {
          write(name, fields, times);
        });
    },
    close() {
      bursts.close();
    },
  };
}

const lines: { readonly [N in TelemetryName]: Line<TelemetryEvents[N]> } = {
  'webhook.responded': at(
    answerLevel,
    (answer) => [
      {
        source: short(answer.source),
        kind: answer.kind === null ? null : short(answer.kind),
        id: answer.id,
        result: answer.result,
        status: answer.status,
        bytes: answer.bytes,
        duration_ms: milliseconds(answer.durationMs),
      },
      `webhook ${answer.result}: answered ${String(answer.status)}`,
    ],
    summedAnswer,
  ),
  'webhook.failed': at(
    'error',
    ({ source, result, error }) => [
      { source: short(source), result, err: error },
      'a webhook could not be taken in',
    ],
    ({ source, result }) => `${source} ${result}`,
  ),
  'webhook.conflict': at(
    'warn',
    ({ source, id, quarantineId }) => [
      { source: short(source), id, quarantine_id: quarantineId },
      `message id of event ${id} came again with another content, kept in quarantine as ${quarantineId}: look at both, then release it or leave it`,
    ],
    ({ source }, isVerified) => (isVerified(source) ? null : source),
  ),
  'quarantine.dropped': at(
    'warn',
    ({ source, entries }) => [
      { source: short(source), entries },
      `the quarantine is full: ${String(entries)} dropped for a webhook of source ${short(source)}; ` +
        'see portaria doctor, and raise PORTARIA_MAX_QUARANTINE_BYTES or verify senders',
    ],
    ({ source }) => source,
  ),
  'event.resolved': at(
    ({ reason }) => (reason === null ? 'info' : 'warn'),
    ({ event, kind, resolution, reason }) => [
      { event, kind: short(kind), resolution },
      `event ${event} returned to an earlier content: ${resolution}${reason === null ? '' : ` (${scrub(reason)})`}`,
    ],
  ),
  'delivery.started': at('debug', (delivery) => [deliveryFields(delivery), `${what(delivery)} started`]),
  'delivery.succeeded': at('info', (delivery) => [
    { ...deliveryFields(delivery), duration_ms: milliseconds(delivery.durationMs) },
    `${what(delivery)} succeeded`,
  ]),
  'delivery.skipped': at('info', (delivery) => [
    {
      ...deliveryFields(delivery),
      duration_ms: milliseconds(delivery.durationMs),
      reason: scrub(delivery.reason),
    },
    `${what(delivery)} skipped: ${scrub(delivery.reason)}`,
  ]),
  'delivery.retrying': at('warn', (delivery) => [
    {
      ...deliveryFields(delivery),
      duration_ms: milliseconds(delivery.durationMs),
      wait_ms: milliseconds(delivery.waitMs),
      reason: scrub(delivery.reason),
    },
    `${what(delivery)} failed at try ${String(delivery.attempt)}, next try in ${seconds(delivery.waitMs)}: ${scrub(delivery.reason)}`,
  ]),
  'delivery.dead': at('error', (delivery) => [
    {
      ...deliveryFields(delivery),
      duration_ms: milliseconds(delivery.durationMs),
      reason: scrub(delivery.reason),
    },
    `${what(delivery)} given up at try ${String(delivery.attempt)}: ${scrub(delivery.reason)}; ` +
      `once its cause is gone: portaria deliveries retry ${delivery.delivery}`,
  ]),
  'delivery.released': at('debug', (delivery) => [
    { ...deliveryFields(delivery), reason: scrub(delivery.reason) },
    `${what(delivery)} handed back unfinished, the try does not count: ${scrub(delivery.reason)}`,
  ]),
  'machine.anomaly': at('warn', ({ machine, subject, event, message }) => [
    { machine, subject, event, anomaly: scrub(message) },
    `machine ${machine} saw an impossible move of ${subject}: ${scrub(message)}`,
  ]),
  'breaker.opened': at('error', ({ handler, pauseMs, reason }) => [
    { handler, pause_ms: milliseconds(pauseMs), reason: scrub(reason) },
    `handler ${handler} keeps failing and is paused for ${seconds(pauseMs)}, its events wait: ${scrub(reason)}`,
  ]),
  'breaker.probing': at('info', ({ handler }) => [{ handler }, `handler ${handler} is tried with one event`]),
  'breaker.closed': at('info', ({ handler }) => [
    { handler },
    `handler ${handler} works again and is resumed`,
  ]),
  'dispatch.released': at('debug', ({ handler, deliveries, reason }) => [
    { handler, deliveries, reason: scrub(reason) },
    `${String(deliveries)} deliveries for ${handler} handed back before they began: ${scrub(reason)}`,
  ]),
  'dispatch.recovered': at('warn', ({ deliveries }) => [
    { deliveries },
    `${String(deliveries)} deliveries were running when the last process died: they run again`,
  ]),
  'provider.drift': at('warn', ({ operation, path, message }) => [
    { operation, path: scrub(path) },
    `the provider's answer to ${operation} is not what the contract says: ${scrub(path)}: ${scrub(message)}`,
  ]),
  'operator.acted': at(
    ({ result }) => (result === 'done' ? 'info' : 'warn'),
    ({ action, unmasked, subject, actor, address, result, status }) => [
      {
        action,
        ...(unmasked && { unmasked }),
        subject: Object.fromEntries(
          Object.entries(subject).map(([name, value]) => [short(name), short(scrub(value))]),
        ),
        actor,
        address,
        result,
        status,
      },
      result === 'refused'
        ? `the private port refused a request from ${address ?? 'nowhere'}: ${String(status)}`
        : `operator (${String(actor)}, ${address ?? 'no connection'}): ${action}${unmasked ? ' unmasked' : ''} ${result}`,
    ],
    // An operator's actions are told one by one.
    ({ result, status }) => (result === 'refused' ? String(status) : null),
  ),
  'dispatch.failed': at('error', ({ reason }) => [
    { reason: scrub(reason) },
    `the store failed while deliveries were dispatched, trying again: ${scrub(reason)}`,
  ]),
};

/** What senders do wrong is a warning; what Portaria cannot do is an error. */
function answerLevel({ status }: TelemetryEvents['webhook.responded']): Level {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

/**
 * What was refused unread or unverified anybody can cause; so can what is kept of
 * an unverified sender, but new events, which fill the store sooner than the log.
 */
function summedAnswer(
  { source, status, result, id }: TelemetryEvents['webhook.responded'],
  isVerified: IsVerified,
): string | null {
  const isRefused = status >= 400 && id === null;
  // PORTARIA_ON_INVALID=accept answers 202 to what it quarantines.
  const isKept = status >= 400 || result === 'duplicate' || result === 'quarantined';
  const isStrangers = isKept && !isVerified(source);
  return isRefused || isStrangers ? `${source} ${result} ${String(status)}` : null;
}

function deliveryFields(delivery: DeliveryFields): object {
  return {
    delivery: delivery.delivery,
    event: delivery.event,
    handler: delivery.handler,
    kind: short(delivery.kind),
    attempt: delivery.attempt,
    replay: delivery.replay,
  };
}

function what(delivery: DeliveryFields): string {
  return `${short(delivery.kind)} ${delivery.event} for ${delivery.handler}`;
}

/** Senders choose kinds and, by the path, sources: no novel gets into a line. */
function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function milliseconds(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 100) / 10)} s`;
}
