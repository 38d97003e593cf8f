/** Pauses of handlers, sources and lanes: what each covers, and which one a delivery waits for. */
import { subjectName, type Subject } from '../event/subject.ts';

/**
 * What a pause covers: the deliveries that match each part that is not null. At least the handler or the
 * source is given. A handler covers its effects (`<machine>/effects`), too.
 */
export interface PauseScope {
  readonly handler: string | null;
  readonly source: string | null;
  readonly subject: Subject | null;
}

/** Deliveries in its scope wait: an operator has paused it, or it is a lane behind a dead letter. Times are milliseconds since 1970. */
export interface Pause extends PauseScope {
  /** `p` and a number. Ids are never used twice. */
  readonly id: string;
  /** Why, of an operator's pause; empty otherwise. */
  readonly reason: string;
  readonly pausedBy: string;
  readonly pausedAt: number;
  /** When it ends by itself; null when an operator ends it. */
  readonly until: number | null;
  /** When the process that dispatches took note: nothing in the scope starts from then on. Null before. */
  readonly acknowledgedAt: number | null;
  /** The dead letter behind which the lane waits (`afterDeadLetter: 'hold'`), `d` and a number; null for an operator's pause. */
  readonly deadLetter: string | null;
}

/** Whether an operator has set the pause; otherwise it is a lane behind a dead letter. */
export function isByOperator({ deadLetter }: Pick<Pause, 'deadLetter'>): boolean {
  return deadLetter === null;
}

/** The deliveries that wait for a pause. */
export interface PausedCount {
  readonly deliveries: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
}

/**
 * Pauses of handlers, sources and lanes, set by operators and kept over restarts. Once a pause is stored, no
 * claim starts a delivery in its scope, and a running one finishes. Webhooks are accepted as ever.
 */
export interface Pauses {
  /** Stores an operator's pause. One of the same scope gets the new reason, name and end, and stays since when it was. */
  pause(
    scope: PauseScope,
    about: Pick<Pause, 'reason' | 'pausedBy' | 'until'> & { readonly now: number },
  ): Promise<Pause>;
  /** Removes pauses, and returns those that were there. Their lanes continue with the next claim. */
  resume(ids: readonly string[]): Promise<readonly Pause[]>;
  /** Records that the dispatching process knows these pauses. */
  acknowledgePauses(ids: readonly string[], now: number): Promise<void>;
  /** Returns the pauses in force, the oldest first. */
  pauses(): Promise<readonly Pause[]>;
  /** Returns a number that differs whenever pauses were set or removed. Cheap: it is read at each poll. */
  pauseChanges(): Promise<number>;
  /** Counts the pending deliveries in a scope, at most `most`. */
  pausedDeliveries(scope: PauseScope, most: number): Promise<PausedCount>;
}

/** Finds the pause of a delivery, at a cost that does not grow with the number of pauses. */
export interface PauseLookup {
  /** The pause of all deliveries to a handler. */
  ofHandler(handler: string): Pause | undefined;
  /** Whether a pause covers some deliveries to a handler, by their source or subject. */
  isPartial(handler: string): boolean;
  /** The pause that a delivery waits for: of several, the one that ends last. */
  of(delivery: {
    readonly handler: string;
    readonly source: string;
    readonly subject: Subject;
  }): Pause | undefined;
}

const EFFECTS = '/effects';

export function createPauseLookup(pauses: readonly Pause[]): PauseLookup {
  const byEnd = pauses.toSorted((one, other) => endOf(one) - endOf(other));
  const byScope = new Map(byEnd.map((pause) => [keyOf(pause), pause]));
  const whole = new Map(byEnd.filter(isWhole).map((pause) => [pause.handler, pause]));
  const partial = new Set(pauses.filter((pause) => !isWhole(pause)).map(({ handler }) => handler));

  function ofHandler(handler: string): Pause | undefined {
    if (whole.size === 0) return undefined;
    return lastToEnd(namesOf(handler).map((name) => whole.get(name)));
  }

  return {
    ofHandler,
    isPartial: (handler) =>
      partial.size > 0 && (partial.has(null) || namesOf(handler).some((name) => partial.has(name))),
    of({ handler, source, subject }) {
      if (byScope.size === 0) return undefined;
      if (partial.size === 0) return ofHandler(handler);
      const scopes = [...namesOf(handler), null].flatMap((name) => [
        { handler: name, source: null, subject },
        { handler: name, source, subject },
        { handler: name, source, subject: null },
      ]);
      return lastToEnd([ofHandler(handler), ...scopes.map((scope) => byScope.get(keyOf(scope)))]);
    },
  };
}

/** Whether two scopes cover the same deliveries. */
export function isSameScope(one: PauseScope, other: PauseScope): boolean {
  return keyOf(one) === keyOf(other);
}

function isWhole({ source, subject }: PauseScope): boolean {
  return source === null && subject === null;
}

function namesOf(handler: string): readonly string[] {
  return handler.endsWith(EFFECTS) ? [handler, handler.slice(0, -EFFECTS.length)] : [handler];
}

function keyOf({ handler, source, subject }: PauseScope): string {
  return JSON.stringify([handler, source, subject && subjectName(subject)]);
}

/** Of pauses that cover the same delivery, the one that ends last: an earlier end lets nothing go on. */
function lastToEnd(found: readonly (Pause | undefined)[]): Pause | undefined {
  return found
    .filter((pause) => pause !== undefined)
    .toSorted((one, other) => endOf(other) - endOf(one))
    .at(0);
}

function endOf({ until }: Pause): number {
  return until ?? Number.MAX_SAFE_INTEGER;
}
