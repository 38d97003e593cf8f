/** Imports the lines of an export. */
import type { EventFlag, IdentifiedEvent, ParsedEvent } from '../../../event/event.ts';
import type { RejectedDelivery, VerifiedDelivery } from '../../../event/delivery.ts';
import { subjectName } from '../../../event/subject.ts';
import type { Identify } from '../../../identify/identify.ts';
import { isJsonObject } from '../../../kernel/json/json.ts';
import type { Parse } from '../../../parse/parse.ts';
import type { ArrivalEraser } from '../../../privacy/erase-arrival.ts';
import type { Inbox } from '../../../store/inbox.ts';
import type { Route } from '../../../store/route.ts';
import { exportedEvent, importedDelivery } from './events-export.ts';

/** The outcome of one imported line. */
export interface ImportedLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly outcome: 'accepted' | 'stale' | 'unrecognized' | 'duplicate' | 'quarantined' | 'unreadable';
  /** The id of the event, of the event that the line repeats, or of the quarantine entry. */
  readonly id: string | null;
  readonly kind: string | null;
  /** The flags of a stored event. */
  readonly flags: readonly EventFlag[];
  /** The handlers that got a delivery. */
  readonly handlers: readonly string[];
  readonly message: string | null;
}

export interface ImportDeps {
  readonly parse: Parse;
  readonly identify: Identify;
  readonly inbox: Inbox;
  /** Null to deliver to no handler. */
  readonly routesFor: ((event: ParsedEvent) => readonly Route[]) | null;
  readonly now: () => number;
  /** Erases who was erased before; null when nobody was. */
  readonly eraser: ArrivalEraser | null;
  /** The source of plain envelopes. Exported events name their own. */
  readonly source: string;
  /** The first line to import. */
  readonly fromLine: number;
  /** Aborted to import no further lines. */
  readonly signal: AbortSignal;
  /** Called at the end of the input, with the number of its lines. */
  readonly onEnd: (lines: number) => void;
}

/** Clocks of machines differ; an event further ahead would stay the newest for long. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** Lines that are stored concurrently, so that they share commits. */
const BATCH = 100;

/** A line that is read and not stored yet. */
interface PreparedLine {
  /** The subject of a plain envelope; null for other lines. */
  readonly subject: string | null;
  readonly store: () => Promise<ImportedLine>;
}

/**
 * Imports lines in order, each as a webhook from `parse` on, and returns those that are committed. Blank lines are
 * skipped.
 *
 * A batch whose outcome is unknown after a failure can be imported again: its exported events are recognized, and it
 * has one plain envelope of a subject at most, which is a duplicate while no later one of the subject is stored.
 */
export async function* importLines(
  lines: AsyncIterable<string>,
  deps: ImportDeps,
): AsyncGenerator<ImportedLine> {
  let batch: PreparedLine[] = [];
  const storeBatch = () => Promise.all(batch.map(({ store }) => store()));
  let number = 0;
  for await (const text of lines) {
    number += 1;
    const json = number === 1 ? text.replace(/^\uFEFF/u, '') : text;
    if (number < deps.fromLine || json.trim() === '') continue;
    const line = prepareLine(json, number, deps);
    const repeatsSubject = batch.some(({ subject }) => subject !== null && subject === line.subject);
    if (batch.length === BATCH || repeatsSubject) {
      if (deps.signal.aborted) return;
      yield* await storeBatch();
      batch = [];
    }
    batch.push(line);
  }
  deps.onEnd(number);
  if (!deps.signal.aborted) yield* await storeBatch();
}

function prepareLine(json: string, line: number, deps: ImportDeps): PreparedLine {
  const read = readLine(json, deps);
  if (typeof read === 'string')
    return {
      subject: null,
      store: () => Promise.resolve({ ...nothing, line, outcome: 'unreadable', message: read }),
    };
  const parsed = deps.parse(read.delivery);
  if (parsed.stage === 'rejected') return { subject: null, store: () => quarantine(parsed, line, deps) };
  const flags = deps.routesFor === null ? [...parsed.flags, 'no-handlers' as const] : parsed.flags;
  const event = deps.identify({ ...parsed, flags });
  return {
    subject: read.copied ? null : subjectName(event.subject),
    store: () => storeEvent({ parsed, event, copied: read.copied }, line, deps),
  };
}

interface ReadEvent {
  readonly parsed: ParsedEvent;
  readonly event: IdentifiedEvent;
  readonly copied: boolean;
}

async function storeEvent(
  { parsed, event: identified, copied }: ReadEvent,
  line: number,
  deps: ImportDeps,
): Promise<ImportedLine> {
  const { kind, recognized } = parsed;
  const event = deps.eraser?.event(identified) ?? identified;
  const routes = deps.routesFor?.(parsed) ?? [];
  const stored = await deps.inbox.accept(event, routes, { copied });
  const { id } = stored;
  switch (stored.status) {
    case 'conflict': {
      const message = `its message id is that of event ${id}, whose content is different`;
      return { ...nothing, line, outcome: 'quarantined', id: stored.quarantineId, kind, message };
    }
    case 'duplicate':
      return { ...nothing, line, outcome: 'duplicate', id, kind };
    case 'stored': {
      const fresh = recognized ? 'accepted' : 'unrecognized';
      const outcome = stored.verdict === 'stale' ? 'stale' : fresh;
      const handlers = routes.filter(({ stale }) => stale || stored.verdict !== 'stale');
      return {
        ...{ ...nothing, line, outcome, id, kind, flags: stored.flags },
        handlers: handlers.map(({ handler }) => handler),
      };
    }
  }
}

const nothing = { id: null, kind: null, flags: [], handlers: [], message: null } as const;

async function quarantine(
  rejected: RejectedDelivery,
  line: number,
  { inbox, eraser }: ImportDeps,
): Promise<ImportedLine> {
  const { id } = await inbox.quarantine(eraser?.rejected(rejected) ?? rejected);
  const { kind, message } = rejected;
  return { ...nothing, line, outcome: 'quarantined', id, kind, message };
}

interface ReadLine {
  readonly delivery: VerifiedDelivery;
  /** Whether it is a line of an export, which states when it was received. */
  readonly copied: boolean;
}

/** Returns the webhook of a line, or the reason why the line is unreadable. */
function readLine(json: string, { source, now }: ImportDeps): ReadLine | string {
  const value = jsonObject(json);
  if (value === undefined) return 'is not a JSON object';
  if (!('body' in value)) {
    const delivery = {
      source,
      senderVerified: true,
      receivedAt: now(),
      headers: {},
      body: Buffer.from(json),
      messageId: null,
      messageIdTrusted: false,
    };
    return { delivery: { stage: 'verified', ...delivery }, copied: false };
  }
  const exported = exportedEvent.safeParse(value);
  if (exported.success) {
    const delivery = importedDelivery(exported.data);
    if (delivery.receivedAt <= now() + MAX_AHEAD_MS) return { delivery, copied: true };
    return `is not an exported event: received_at: ${exported.data.received_at} is more than a day in the future; correct it, or the clock of this machine`;
  }
  const [issue] = exported.error.issues;
  return `is not an exported event: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}

function jsonObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
