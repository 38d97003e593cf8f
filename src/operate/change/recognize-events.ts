/** Judges events again that came before their kind was defined. */
import type { ParsedEvent, IdentifiedEvent } from '../../event/event.ts';
import type { EventRecord } from '../../event/stored-event.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { eachPage } from '../../kernel/row-pages.ts';
import type { Parse } from '../../parse/parse.ts';
import type { Recognition, Recognitions } from '../../store/inbox.ts';
import type { Plans } from '../../store/plans.ts';
import type { Queries } from '../../store/queries.ts';
import { overtakenRoutes, verifiedAgain } from './release-quarantine.ts';

export interface RecognizeDeps {
  readonly store: Pick<Queries, 'events' | 'event'> & Pick<Plans, 'overtakenArrival'> & Recognitions;
  readonly registry: Pick<Registry, 'routesFor'>;
  /** By the contract as it is now. */
  readonly parse: Parse;
  readonly identify: (event: ParsedEvent) => IdentifiedEvent;
}

/**
 * `would-recognize`: in a plan, as far as the content tells. `invalid`: the content does not match its kind. `unknown`: its
 * source has no such kind. `pruned`: there is no content. The others are those of a {@link Recognition}.
 */
export type RecognitionOutcome = Recognition['status'] | 'would-recognize' | 'invalid' | 'unknown' | 'pruned';

/** Events of one kind with the same outcome. */
export interface RecognizedKind {
  readonly kind: string;
  readonly outcome: RecognitionOutcome;
  readonly events: number;
  /** Their deliveries that wait to run, or in a plan those of handlers that take the kind. */
  readonly deliveries: number;
  /** The first of them, and why it does not match. */
  readonly event_id: string;
  readonly message: string | null;
}

export interface RecognizeRequest {
  /** Kinds or wildcards. */
  readonly kinds: readonly string[];
  /** Stored no later than the event of this id. */
  readonly upTo?: string;
  /** Report what would be recognized, without changes. */
  readonly dryRun: boolean;
  /** Ends between two events. Each is a transaction, and another run goes on. */
  readonly signal?: AbortSignal;
}

/**
 * Recognizes unrecognized events that match the contract now, in the order of their arrival, one after the other: memory
 * does not grow with their number. What does not match stays as it is.
 *
 * @returns the outcomes by kind, and the last event that was looked at; null when there was none
 */
export async function recognizeEvents(
  deps: RecognizeDeps,
  { kinds, upTo, dryRun, signal }: RecognizeRequest,
): Promise<{ readonly outcomes: readonly RecognizedKind[]; readonly last: string | null }> {
  const filter = { kinds, flag: 'unrecognized', ...(upTo !== undefined && { upTo }) };
  const outcomes = new Map<string, RecognizedKind>();
  let last: string | null = null;
  if (kinds.length === 0) return { outcomes: [], last };
  for await (const page of eachPage((rows) => deps.store.events(filter, { order: 'oldest', ...rows })))
    for (const { id, kind, flags } of page) {
      if (signal?.aborted === true) return { outcomes: [...outcomes.values()], last };
      const found = flags.includes('erased') ? stays('erased') : await judged(deps, id, dryRun);
      const key = `${kind} ${found.outcome}`;
      const sum = outcomes.get(key) ?? { kind, ...found, events: 0, deliveries: 0, event_id: id };
      const deliveries = sum.deliveries + found.deliveries;
      outcomes.set(key, { ...sum, events: sum.events + 1, deliveries });
      last = id;
    }
  return { outcomes: [...outcomes.values()], last };
}

type Judged = Pick<RecognizedKind, 'outcome' | 'deliveries' | 'message'>;

const stays = (outcome: RecognitionOutcome, message: string | null = null): Judged => ({
  ...{ outcome, deliveries: 0, message },
});

async function judged(
  { store, registry, parse, identify }: RecognizeDeps,
  id: EventRecord['id'],
  dryRun: boolean,
): Promise<Judged> {
  const stored = await store.event(id);
  if (stored?.body == null) return stays('pruned');
  const { source, flags, body } = stored;
  const senderVerified = !flags.includes('unverified');
  const parsed = parse(verifiedAgain({ ...stored, body, senderVerified, reason: 'invalid' }));
  if (parsed.stage === 'rejected') {
    const [issue] = parsed.issues;
    return stays('invalid', issue === undefined ? parsed.message : `${issue.path}: ${issue.message}`);
  }
  if (!parsed.recognized) return stays('unknown');
  // What an operator wanted to be delivered to nobody, or what the provider has superseded, is not delivered.
  const isSilent = flags.includes('no-handlers') || flags.includes('superseded');
  const routes = isSilent ? [] : registry.routesFor(parsed, source);
  if (dryRun) return { ...stays('would-recognize'), deliveries: routes.length };
  const overtaken = await overtakenRoutes({ store, registry, identify }, parsed, stored);
  const found = await store.recognize(id, identify(parsed), routes, overtaken);
  return found.status === 'recognized'
    ? { ...stays('recognized'), deliveries: found.pending }
    : stays(found.status);
}
