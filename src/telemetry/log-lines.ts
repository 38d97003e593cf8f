/** The log line of each telemetry event. */
import type { DeliveryFields, TelemetryEvents, TelemetryName } from './telemetry.ts';
import { scrub } from '../kernel/text/scrub.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** Whether the senders of a source are verified. */
export type IsVerified = (source: string) => boolean;

/** How one telemetry event becomes a log line. */
export interface LogLine<Fields> {
  readonly level: (fields: Fields) => Level;
  /** Called only if the level is enabled. Names each field, so that none is logged by accident. */
  readonly content: (fields: Fields) => readonly [fields: object, message: string];
  /**
   * Group of an event that unknown senders can cause, or that each delivery can; the events of a group share one line
   * a second. Null for an event with its own line. The number of groups is bounded.
   */
  readonly group?: (fields: Fields, isVerified: IsVerified) => string | null;
}

function at<Fields>(
  level: Level | ((fields: Fields) => Level),
  content: LogLine<Fields>['content'],
  group?: LogLine<Fields>['group'],
): LogLine<Fields> {
  return { level: typeof level === 'string' ? () => level : level, content, ...(group && { group }) };
}

/**
 * The log line of each telemetry event. Levels: `debug` for the normal course of deliveries, `info` for what
 * was received and done, `warn` for what Portaria handles by itself, `error` for what needs an operator.
 */
export const logLines: { readonly [N in TelemetryName]: LogLine<TelemetryEvents[N]> } = {
  'webhook.responded': at(
    responseLevel,
    (response) => [
      {
        source: truncate(response.source),
        kind: response.kind === null ? null : truncate(response.kind),
        id: response.id,
        result: response.result,
        status: response.status,
        ...(response.notVerified && {
          reason: response.notVerified.reason,
          detail: response.notVerified.detail,
        }),
        ...(response.path !== undefined && { path: scrub(truncate(response.path)) }),
        bytes: response.bytes,
        duration_ms: milliseconds(response.durationMs),
      },
      `webhook ${response.result}: status ${String(response.status)}${because(response)}`,
    ],
    responseGroup,
  ),
  'webhook.failed': at(
    'error',
    ({ source, result, error }) => [
      { source: truncate(source), result, err: error },
      'a webhook could not be received',
    ],
    ({ source, result }) => `${source} ${result}`,
  ),
  'webhook.observed': at(
    'info',
    ({ source, scheme, result }) => [
      { source, scheme, result },
      result === 'passed'
        ? `a webhook of ${source} passes ${scheme}; its source is observed, so any would be taken`
        : `a webhook of ${source} was taken without proof (${result}), because its source is observed`,
    ],
    ({ source, scheme, result }) => `${source} ${scheme} ${result}`,
  ),
  'webhook.conflict': at(
    'warn',
    ({ source, id, quarantineId }) => [
      { source: truncate(source), id, quarantine_id: quarantineId },
      `the message id of event ${id} was reused with different content, now in quarantine as ${quarantineId}: compare both, then release it or leave it`,
    ],
    ({ source }, isVerified) => (isVerified(source) ? null : source),
  ),
  'quarantine.dropped': at(
    'warn',
    ({ source, entries }) => [
      { source: truncate(source), entries },
      `the quarantine is full: dropped ${String(entries)} for a webhook of source ${truncate(source)}; ` +
        'run portaria doctor, and raise PORTARIA_MAX_QUARANTINE_BYTES or verify senders',
    ],
    ({ source }) => source,
  ),
  // Without the subject: a sender of a custom kind may name a person by it.
  'event.stored': at('debug', ({ id, kind, source, verdict }) => [
    { id, kind: truncate(kind), source: truncate(source), verdict },
    `event ${id} stored: ${truncate(kind)}, ${verdict}`,
  ]),
  'event.resolved': at(
    ({ reason }) => (reason === null ? 'info' : 'warn'),
    ({ event, kind, resolution, reason }) => [
      { event, kind: truncate(kind), resolution },
      `event ${event} returned to earlier content: ${resolution}${reason === null ? '' : ` (${scrub(reason)})`}`,
    ],
  ),
  'delivery.started': at('debug', (delivery) => [deliveryFields(delivery), `${subjectOf(delivery)} started`]),
  'delivery.succeeded': at('info', (delivery) => [
    { ...deliveryFields(delivery), duration_ms: milliseconds(delivery.durationMs) },
    `${subjectOf(delivery)} succeeded`,
  ]),
  'delivery.skipped': at('info', (delivery) => [
    {
      ...deliveryFields(delivery),
      duration_ms: milliseconds(delivery.durationMs),
      reason: scrub(delivery.reason),
    },
    `${subjectOf(delivery)} skipped: ${scrub(delivery.reason)}`,
  ]),
  'deliveries.superseded': at(
    'info',
    ({ handler, deliveries }) => [
      { handler, deliveries },
      `${String(deliveries)} deliveries for ${handler} skipped: a newer one of the same subject waits`,
    ],
    ({ handler }) => handler,
  ),
  'delivery.retrying': at('warn', (delivery) => [
    {
      ...deliveryFields(delivery),
      duration_ms: milliseconds(delivery.durationMs),
      wait_ms: milliseconds(delivery.waitMs),
      reason: scrub(delivery.reason),
    },
    `${subjectOf(delivery)} attempt ${String(delivery.attempt)} failed, next attempt in ${seconds(delivery.waitMs)}: ${scrub(delivery.reason)}`,
  ]),
  'delivery.dead': at('error', (delivery) => [
    {
      ...deliveryFields(delivery),
      duration_ms: milliseconds(delivery.durationMs),
      reason: scrub(delivery.reason),
      ...(delivery.hold === true && { hold: true }),
    },
    `${subjectOf(delivery)} dead after attempt ${String(delivery.attempt)}: ${scrub(delivery.reason)}; ` +
      (delivery.hold === true ? 'its lane waits behind it; ' : '') +
      `when the cause is fixed, run portaria deliveries retry ${delivery.delivery}`,
  ]),
  'delivery.released': at('debug', (delivery) => [
    { ...deliveryFields(delivery), reason: scrub(delivery.reason) },
    `${subjectOf(delivery)} released unfinished, the attempt does not count: ${scrub(delivery.reason)}`,
  ]),
  'machine.anomaly': at('warn', ({ machine, subject, event, message }) => [
    { machine, subject: scrub(subject), event, anomaly: scrub(message) },
    `machine ${machine} found an impossible transition of ${scrub(subject)}: ${scrub(message)}`,
  ]),
  'breaker.opened': at('error', ({ handler, openMs, reason }) => [
    { handler, open_ms: milliseconds(openMs), reason: scrub(reason) },
    `the breaker of handler ${handler} is open for ${seconds(openMs)}: ${scrub(reason)}`,
  ]),
  'breaker.probing': at('info', ({ handler }) => [
    { handler },
    `handler ${handler} is probed with one event`,
  ]),
  'breaker.closed': at('info', ({ handler }) => [
    { handler },
    `handler ${handler} succeeds again and is resumed`,
  ]),
  'rate.deferred': at(
    'debug',
    ({ handler }) => [{ handler }, `${handler} is called at its rate: a delivery waits`],
    ({ handler }) => handler,
  ),
  'rate.closed': at(
    'warn',
    ({ handler, bucket, waitMs }) => [
      { handler, bucket, wait_ms: milliseconds(waitMs) },
      `the target of ${handler} limits calls: nothing of the rate ${bucket} starts until the wait is over`,
    ],
    ({ handler }) => handler,
  ),
  'dispatch.released': at('debug', ({ handler, deliveries, reason }) => [
    { handler, deliveries, reason: scrub(reason) },
    `${String(deliveries)} deliveries for ${handler} released before they began: ${scrub(reason)}`,
  ]),
  'dispatch.recovered': at('warn', ({ deliveries }) => [
    { deliveries },
    `${String(deliveries)} deliveries were running when their process died and will run again`,
  ]),
  'process.stalled': at('error', ({ silentMs, isStopping, running, stack }) => {
    const [only, ...others] = running;
    const what =
      only === undefined
        ? 'no handler ran'
        : others.length > 0
          ? `one of ${String(running.length)} running attempts`
          : `handler ${only.handler}, event ${only.event}, attempt ${String(only.attempt)}`;
    const since = isStopping
      ? 'has not turned since the shutdown’s grace was over'
      : `has not turned for ${seconds(silentMs)}`;
    const handler = others.length === 0 ? only?.handler : '<handler>';
    const remedy =
      handler === undefined || isStopping
        ? ''
        : `; \`portaria handlers pause ${handler} --reason "…"\` keeps events from it until it is mended`;
    return [
      { silent_ms: silentMs, ...(others.length === 0 ? only : { running }), stack },
      `the event loop ${since}, and the process ends: ${what}${stack[0] === undefined ? '' : ` ${stack[0]}`}${remedy}`,
    ];
  }),
  'lease.lost': at('warn', ({ attempts }) => [
    { attempts },
    'this process has lost its lease: it was frozen, or cut off from the database, and others run its deliveries again; ' +
      `${String(attempts)} attempts were aborted`,
  ]),
  'provider.drift': at('warn', ({ operation, path, message }) => [
    { operation, path: scrub(path) },
    `the provider's response to ${operation} differs from the contract: ${scrub(path)}: ${scrub(message)}`,
  ]),
  'operator.acted': at(
    ({ result }) => (result === 'done' ? 'info' : 'warn'),
    ({ action, unmasked, subject, actor, address, result, status, audit }) => [
      {
        action,
        ...(unmasked && { unmasked }),
        subject: Object.fromEntries(
          Object.entries(subject).map(([name, value]) => [truncate(name), truncate(scrub(value))]),
        ),
        actor,
        address,
        result,
        status,
        ...(audit !== null && { audit }),
      },
      action === 'trustHeader'
        ? `a header of single sign-on from ${address ?? 'an unknown address'} was ignored: it is not in PORTARIA_OPS_PROXIES`
        : result === 'rejected'
          ? `the private port rejected a request from ${address ?? 'an unknown address'}: ${String(status)}`
          : `operator (${String(actor)}, ${address ?? 'unknown address'}): ${action}${unmasked ? ' unmasked' : ''} ${result}`,
    ],
    // Each action of an operator gets its own line.
    ({ action, result, status }) =>
      result === 'rejected' ? `${action === 'trustHeader' ? action : ''} ${String(status)}` : null,
  ),
  'audit.failed': at(
    'error',
    ({ action, reason }) => [
      { action, reason: scrub(reason) },
      `the audit could not record ${action}: ${scrub(reason)}`,
    ],
    ({ action }) => action,
  ),
  'problem.began': at('warn', ({ problem, of, summary }) => [
    { problem, of },
    `needs attention: ${scrub(summary)}; portaria doctor says what to do`,
  ]),
  'problem.ended': at('info', ({ problem, of, summary }) => [
    { problem, of },
    `no longer needs attention: ${scrub(summary)}`,
  ]),
  'alert.sent': at('debug', ({ alert }) => [{ alert }, `alert ${alert} delivered`]),
  'alert.failed': at('warn', ({ alert, attempt, waitMs, reason }) => [
    { alert, attempt, wait_ms: milliseconds(waitMs), reason: scrub(reason) },
    `alert ${alert} attempt ${String(attempt)} failed, next attempt in ${seconds(waitMs)}: ${scrub(reason)}`,
  ]),
  'watch.failed': at('warn', ({ reason }) => [
    { reason: scrub(reason) },
    `the check for problems failed and will be repeated: ${scrub(reason)}`,
  ]),
  'retention.ran': at(
    ({ events, quarantine, deliveries }) => (events + quarantine + deliveries > 0 ? 'info' : 'debug'),
    (run) => [
      {
        events: run.events,
        bytes: run.bytes,
        quarantine: run.quarantine,
        deliveries: run.deliveries,
        discarded: run.discarded,
        waiting: run.waiting,
        held: run.held,
        given_back: run.givenBack,
        duration_ms: milliseconds(run.durationMs),
      },
      `retention pruned ${String(run.events)} events, ${String(run.quarantine)} quarantine entries and ` +
        `${String(run.deliveries)} deliveries (${String(run.discarded)} dead letters discarded); ` +
        `${String(run.waiting)} old events still wait, ${String(run.held)} old rows are under a legal hold`,
    ],
  ),
  'backup.made': at('info', ({ file, removed, durationMs }) => [
    { file, removed, duration_ms: milliseconds(durationMs) },
    `backup ${file} made and checked`,
  ]),
  'backup.failed': at('error', ({ file, reason }) => [
    { file, reason: scrub(reason) },
    `backup ${file} failed and will be tried again: ${scrub(reason)}`,
  ]),
  'reconcile.looked': at(
    ({ differing }) => (differing > 0 ? 'info' : 'debug'),
    ({ source, family, subjects, differing, durationMs }) => [
      { source, family, subjects, differing, duration_ms: milliseconds(durationMs) },
      `compared ${String(subjects)} subjects of ${family} with the provider's records: ${String(differing)} differ`,
    ],
  ),
  'reconcile.repaired': at('info', ({ source, family, subjects }) => [
    { source, family, subjects },
    `repaired ${String(subjects)} subjects of ${family} from the provider's records`,
  ]),
  'reconcile.failed': at('warn', ({ source, family, reason }) => [
    { source, family, reason: scrub(reason) },
    `could not compare ${family} with the provider's records, and will try again: ${scrub(reason)}`,
  ]),
  'retention.failed': at('error', ({ reason }) => [
    { reason: scrub(reason) },
    `retention failed and will run again at its next time: ${scrub(reason)}`,
  ]),
  'store.back': at('warn', ({ awayMs, refused }) => [
    { away_ms: milliseconds(awayMs), refused },
    `the store can be written again, after ${seconds(awayMs)}; webhooks that got 503: ${String(refused)}`,
  ]),
  'dispatch.failed': at(
    'error',
    ({ reason }) => [
      { reason: scrub(reason) },
      `the store failed during dispatch and will be retried: ${scrub(reason)}`,
    ],
    () => 'store',
  ),
};

/** A mistake of a sender is a warning; a failure of Portaria is an error. */
function responseLevel({ status }: TelemetryEvents['webhook.responded']): Level {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

/**
 * Anybody can cause errors without a stored body. An unverified sender can also cause repeats and quarantine
 * entries. New events get their own lines: they fill the store sooner than the log.
 */
function responseGroup(
  { source, status, result, notVerified, id }: TelemetryEvents['webhook.responded'],
  isVerified: IsVerified,
): string | null {
  const isUnstored = (status >= 400 && id === null) || result === 'handshake';
  // With PORTARIA_ON_INVALID=accept, quarantined bodies get 202.
  const isNoEvent = status >= 400 || ['duplicate', 'quarantined', 'ping'].includes(result);
  return isUnstored || (isNoEvent && !isVerified(source))
    ? `${source} ${result} ${notVerified?.reason ?? ''} ${String(status)}`
    : null;
}

function because({ notVerified, path }: TelemetryEvents['webhook.responded']): string {
  const why = notVerified?.detail ?? path;
  return why === undefined ? '' : ` (${scrub(truncate(why))})`;
}

function deliveryFields(delivery: DeliveryFields): object {
  return {
    delivery: delivery.delivery,
    event: delivery.event,
    handler: delivery.handler,
    kind: truncate(delivery.kind),
    attempt: delivery.attempt,
    replay: delivery.replay,
  };
}

function subjectOf(delivery: DeliveryFields): string {
  return `${truncate(delivery.kind)} ${delivery.event} for ${delivery.handler}`;
}

/** Senders choose kinds and, by the path, sources. */
function truncate(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

function milliseconds(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 100) / 10)} s`;
}
