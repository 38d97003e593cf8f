/** What the process that rehearses is told, and what it says. */
import type { PortariaError } from '../kernel/errors.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import type { EventFilter } from '../store/queries.ts';

/** A declared answer; a `url` that ends in `*` is a prefix. */
export interface Answer {
  readonly method?: string | undefined;
  readonly url: string;
  readonly status?: number | undefined;
  readonly body?: unknown;
}

/** What the rehearsing process is told. */
export interface ApartRehearsal {
  readonly filter: EventFilter;
  /** The number of events, evenly spread; null for all. */
  readonly sample: number | null;
  /** The file of an export; null for the store. */
  readonly from: string | null;
  readonly answers: readonly Answer[];
  /** Begins each line of Portaria, and none of a handler. */
  readonly mark: string;
  /** Settings that no handler may find in its environment. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  /** The event to begin with, and handlers that are left out, after one has ended the process. */
  readonly first?: string;
  readonly without?: readonly string[];
}

/** Something that code would have sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** What a handler, a fold or an effect did with an event. */
export interface RunResult {
  readonly event: string;
  readonly handler: string;
  readonly outcome: 'succeeds' | 'skips' | 'fails' | 'not rehearsed';
  readonly reason: string | null;
  readonly requests: readonly SentRequest[];
  readonly effects: readonly string[];
}

/** The state that a machine has, and the one that the rehearsed code computes. */
export interface StateResult {
  readonly event: string;
  readonly handler: string;
  readonly subject: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** A run that begins, of a delivery with this name. */
export type Began = Pick<RunResult, 'event' | 'handler'> & {
  readonly name: string;
  readonly timeoutMs: number;
};

/** A line of the rehearsing process. */
export type Said =
  | { readonly begins: Began }
  /** That it is not blocked. */
  | { readonly works: true }
  | { readonly run: RunResult }
  | { readonly state: StateResult }
  | { readonly ends: EndResult }
  | { readonly error: Pick<PortariaError, 'code' | 'message' | 'problems'> };

/** What is said of all events at the end. */
interface EndResult {
  readonly events: number;
  /** Chosen events whose bodies have been removed, which are not rehearsed. */
  readonly pruned: number;
  /** Lines of a file that are no event. */
  readonly unread: number;
  readonly personalNames: readonly string[];
}

/** What one set of handlers has done. */
export interface Rehearsed extends EndResult {
  readonly runs: Map<string, RunResult>;
  readonly states: Map<string, StateResult>;
}
