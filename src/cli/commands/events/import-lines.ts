import type { EventFlag, ParsedEvent } from '../../../event/event.ts';
import type { RejectedDelivery, VerifiedDelivery } from '../../../event/delivery.ts';
import { identify } from '../../../identify/identify.ts';
import { parse } from '../../../parse/parse.ts';
import type { Inbox } from '../../../store/inbox.ts';
import type { Route } from '../../../store/route.ts';
import { exportedEvent, importedDelivery } from './exported-event.ts';

/** What became of a line. */
export interface ImportedLine {
  /** From 1. */
  readonly line: number;
  readonly outcome: 'accepted' | 'stale' | 'unrecognized' | 'duplicate' | 'quarantined' | 'unreadable';
  /** The event, the one it repeats, or the quarantine entry. */
  readonly id: string | null;
  readonly kind: string | null;
  /** Of an event that was stored. */
  readonly flags: readonly EventFlag[];
  readonly message: string | null;
}

export interface ImportParts {
  readonly inbox: Inbox;
  readonly routesFor: (event: ParsedEvent) => readonly Route[];
  readonly now: () => number;
  /** Of plain envelopes; exported events bring their own. */
  readonly source: string;
}

/** Lines that are on their way to the disk together: they share commits. */
const BATCH = 100;

/** Takes lines the way of webhooks from `parse` on, in order. Blank lines are passed over. */
export async function* importLines(
  lines: AsyncIterable<string>,
  parts: ImportParts,
): AsyncGenerator<ImportedLine> {
  let batch: Promise<ImportedLine>[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    batch.push(importLine(line, number, parts));
    if (batch.length < BATCH) continue;
    yield* await Promise.all(batch);
    batch = [];
  }
  yield* await Promise.all(batch);
}

async function importLine(text: string, line: number, parts: ImportParts): Promise<ImportedLine> {
  const read = readLine(text, parts);
  if (typeof read === 'string') return { ...nothing, line, outcome: 'unreadable', message: read };
  const parsed = parse(read.delivery);
  if (parsed.stage === 'rejected') return quarantine(parsed, line, parts);
  const { kind, recognized } = parsed;
  const { copied } = read;
  const stored = await parts.inbox.accept(identify(parsed), parts.routesFor(parsed), { copied });
  const { id } = stored;
  switch (stored.status) {
    case 'conflict': {
      const message = `its message id is that of event ${id}, which has another content`;
      return { ...nothing, line, outcome: 'quarantined', id: stored.quarantineId, kind, message };
    }
    case 'duplicate':
      return { ...nothing, line, outcome: 'duplicate', id, kind };
    case 'stored': {
      const fresh = recognized ? 'accepted' : 'unrecognized';
      const outcome = stored.verdict === 'stale' ? 'stale' : fresh;
      return { ...nothing, line, outcome, id, kind, flags: stored.flags };
    }
  }
}

const nothing = { id: null, kind: null, flags: [], message: null } as const;

async function quarantine(
  rejected: RejectedDelivery,
  line: number,
  { inbox }: ImportParts,
): Promise<ImportedLine> {
  const { id } = await inbox.quarantine(rejected);
  const { kind, message } = rejected;
  return { ...nothing, line, outcome: 'quarantined', id, kind, message };
}

interface ReadLine {
  readonly delivery: VerifiedDelivery;
  /** Whether it is a line of an export: it says itself when it was received. */
  readonly copied: boolean;
}

/** What a line holds, or what is wrong with it. */
function readLine(text: string, { source, now }: ImportParts): ReadLine | string {
  const value = jsonObject(text);
  if (value === undefined) return 'is not a JSON object';
  if (!('body' in value)) {
    const body = Buffer.from(text);
    const delivery = {
      source,
      senderVerified: true,
      receivedAt: now(),
      headers: {},
      body,
      messageId: null,
      messageIdTrusted: false,
    };
    return { delivery: { stage: 'verified', ...delivery }, copied: false };
  }
  const exported = exportedEvent.safeParse(value);
  if (exported.success) return { delivery: importedDelivery(exported.data), copied: true };
  const [issue] = exported.error.issues;
  return `is no exported event: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
