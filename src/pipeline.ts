import type { ParsedEvent } from './event/event.ts';
import type { RawDelivery, RejectedDelivery } from './event/delivery.ts';
import type { Receipt } from './event/receipt.ts';
import { identify } from './identify/identify.ts';
import { PortariaError } from './kernel/errors.ts';
import { parse } from './parse/parse.ts';
import type { Acceptance, Inbox } from './store/inbox.ts';
import type { Route } from './store/route.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { Verifier } from './verify/create-verifier.ts';

export interface PipelineParts {
  /** One verifier per source. */
  readonly verifiers: ReadonlyMap<string, Verifier>;
  readonly inbox: Inbox;
  routesFor(event: ParsedEvent): readonly Route[];
  /** Called after a commit that left something to run. */
  dispatch(): void;
  readonly telemetry: Telemetry;
}

/** Takes a delivery the whole way from the wire to the disk; what returns may be acknowledged. */
export type Pipeline = (delivery: RawDelivery) => Promise<Receipt>;

/**
 * The way of an event. Each stage takes the type that only the one before it
 * makes, so none can be skipped; after `store` it is durable, and the
 * dispatcher takes it to its handlers.
 *
 * The pipeline throws PortariaError `unknown-source` and `not-verified` (nothing
 * was kept) and the store's codes (nothing was stored).
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  return async function receive(raw) {
    const verified = verifierOf(raw.source, parts)(raw);
    const parsed = parse(verified);
    if (parsed.stage === 'rejected') return quarantine(parsed, parts);
    // The event itself is let go while it is on its way to the disk: what many hundreds hold meanwhile is
    // copied by each collection.
    const sent: Sent = { source: raw.source, kind: parsed.kind, recognized: parsed.recognized };
    const stored = await parts.inbox.accept(identify(parsed), parts.routesFor(parsed));
    return acknowledge(sent, stored, parts);
  };
}

function verifierOf(source: string, { verifiers }: PipelineParts): Verifier {
  const verifier = verifiers.get(source);
  if (verifier === undefined)
    throw new PortariaError('unknown-source', `There is no source named ${JSON.stringify(source)}`);
  return verifier;
}

async function quarantine(rejected: RejectedDelivery, parts: PipelineParts): Promise<Receipt> {
  const { id, held, dropped } = await parts.inbox.quarantine(rejected);
  reportDropped(rejected.delivery.source, dropped, parts);
  const { kind, message, issues } = rejected;
  // The parser rejects only these two ways; `conflict` is the store's own finding.
  const reason = rejected.reason === 'invalid' ? 'invalid' : 'malformed';
  return { status: 'rejected', reason, id: held ? id : null, kind, message, issues };
}

function reportDropped(source: string, entries: number, { telemetry }: PipelineParts): void {
  if (entries > 0) telemetry.emit('quarantine.dropped', { source, entries });
}

/** What an answer tells of an event. */
interface Sent {
  readonly source: string;
  readonly kind: string;
  readonly recognized: boolean;
}

function acknowledge({ source, kind, recognized }: Sent, stored: Acceptance, parts: PipelineParts): Receipt {
  if (stored.status !== 'stored') {
    if (stored.status === 'conflict') {
      const { id, quarantineId, dropped } = stored;
      reportDropped(source, dropped, parts);
      parts.telemetry.emit('webhook.conflict', { source, id, quarantineId });
    }
    return { status: 'duplicate', id: stored.id, kind };
  }
  if (stored.pending > 0) parts.dispatch();
  const { id, flags } = stored;
  if (stored.verdict === 'stale') return { status: 'stale', id, kind, flags };
  return { status: recognized ? 'accepted' : 'unrecognized', id, kind, flags };
}
