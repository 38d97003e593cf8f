/** The path of an event in one function: verify, parse, identify, route, store. */
import type { ParsedEvent } from './event/event.ts';
import type { RawDelivery, RejectedDelivery } from './event/delivery.ts';
import type { Receipt } from './event/receipt.ts';
import type { Identify } from './identify/identify.ts';
import { PortariaError } from './kernel/errors.ts';
import type { FindPing } from './parse/find-ping.ts';
import type { Parse } from './parse/parse.ts';
import { readJson } from './parse/read-json.ts';
import type { Inbox } from './store/inbox.ts';
import type { Route } from './store/route.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { FindTracing, ReceiveSpan } from './telemetry/tracing.ts';
import type { Verifier } from './verify/create-verifier.ts';

export interface PipelineDeps {
  /** By the name of the source. */
  readonly verifiers: ReadonlyMap<string, Verifier>;
  readonly parse: Parse;
  /** By the name of the source; most have none. */
  readonly pings?: ReadonlyMap<string, FindPing>;
  readonly identify: Identify;
  readonly inbox: Inbox;
  /** The handlers that an event goes to. */
  readonly routesFor: (event: ParsedEvent) => readonly Route[];
  /** Called after a commit with pending deliveries. */
  readonly dispatch: () => void;
  readonly telemetry: Telemetry;
  readonly tracing?: FindTracing;
}

/**
 * Takes a delivery from its bytes to the disk. The receipt may be acknowledged.
 *
 * @throws PortariaError `unknown-source` or `not-verified`, when nothing is kept; `store-*`, when nothing
 *   could be stored
 */
export type Pipeline = (delivery: RawDelivery) => Promise<Receipt>;

/**
 * The path of an event: verify, parse, identify, route, store. Each stage takes the type that only the stage
 * before it returns, so none can be skipped. Handlers run after that, from the store.
 */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const { verifiers, pings, parse, identify, inbox, routesFor, dispatch, telemetry, tracing } = deps;
  return (raw) => tracing?.()?.receive(raw, receive) ?? receive(raw);

  async function receive(raw: RawDelivery, span?: ReceiveSpan): Promise<Receipt> {
    const verify = verifiers.get(raw.source);
    if (verify === undefined)
      throw new PortariaError('unknown-source', `No source is named ${JSON.stringify(raw.source)}`);
    const proven = span === undefined ? verify(raw) : span.verify(() => verify(raw));
    // Most schemes take no time, and an await would.
    const delivery = proven instanceof Promise ? await proven : proven;
    const verified = span === undefined ? delivery : span.keep(delivery);
    const { observed } = verified;
    if (observed !== undefined) telemetry.emit('webhook.observed', { source: raw.source, ...observed });
    const findPing = pings?.get(raw.source);
    const json = findPing && readJson(verified.body);
    const ping = json && findPing(verified, json);
    if (ping !== undefined) return ping;
    const parsed = flagged(parse(verified, json));
    if (parsed.stage === 'rejected') return quarantine(parsed);
    // Keep only these fields across the await: hundreds of events in flight would be copied by every minor GC.
    const { source, receivedAt } = raw;
    const { kind, recognized } = parsed;
    const identified = identify(parsed);
    const { subject } = identified;
    const stored = await inbox.accept(identified, routesFor(parsed));

    if (stored.status === 'conflict') {
      const { id, quarantineId, dropped } = stored;
      reportDropped(source, dropped);
      telemetry.emit('webhook.conflict', { source, id, quarantineId });
    }
    if (stored.status !== 'stored') return { status: 'duplicate', id: stored.id, kind };
    if (stored.pending > 0) dispatch();
    const { id, flags, verdict, pending } = stored;
    telemetry.emit('event.stored', { id, kind, source, subject, verdict, flags, receivedAt, pending });
    const status = verdict === 'stale' ? 'stale' : recognized ? 'accepted' : 'unrecognized';
    return { status, id, kind, flags };
  }

  async function quarantine(rejected: RejectedDelivery): Promise<Receipt> {
    const { id, stored, dropped } = await inbox.quarantine(rejected);
    reportDropped(rejected.delivery.source, dropped);
    const { kind, message, issues } = rejected;
    // The parser rejects for these two reasons; only the store finds a `conflict`.
    const reason = rejected.reason === 'invalid' ? 'invalid' : 'malformed';
    return { status: 'rejected', reason, id: stored ? id : null, kind, message, issues };
  }

  function reportDropped(source: string, entries: number): void {
    if (entries > 0) telemetry.emit('quarantine.dropped', { source, entries });
  }
}

function flagged<Parsed extends ParsedEvent | RejectedDelivery>(parsed: Parsed): Parsed {
  const { observed, senderVerified } = parsed.delivery;
  if (parsed.stage === 'rejected' || observed === undefined || senderVerified) return parsed;
  return { ...parsed, flags: [...parsed.flags, 'unverified'] };
}

/** The same path for samples: their events carry a flag that says so. */
export function createSamplePipeline(deps: PipelineDeps): Pipeline {
  return createPipeline({
    ...deps,
    pings: new Map(),
    parse(delivery) {
      const parsed = deps.parse(delivery);
      return parsed.stage === 'rejected' ? parsed : { ...parsed, flags: [...parsed.flags, 'sample'] };
    },
  });
}
