/** How a store finds and erases personal data, and holds subjects. */
import type { Subject } from '../event/subject.ts';

/** Where a store keeps what a sender or a handler wrote: one place for each kind of row. */
export const contentPlaces = [
  'event',
  'quarantine',
  'delivery',
  'attempt',
  'state',
  'base',
  'anomaly',
  'subject',
  'job',
] as const;

export type ContentPlace = (typeof contentPlaces)[number];

/** A row that may hold personal data. */
export interface StoredContent {
  readonly place: ContentPlace;
  /** Numbers the rows of a place, in the order in which they are read. */
  readonly row: number;
  /** The id that people know: an event, an entry, a delivery, a job; the machine or subject otherwise. */
  readonly id: string;
  /** The source, kind and subject of its event; null where there is none. */
  readonly source: string | null;
  readonly kind: string | null;
  readonly subject: Subject | null;
  /** When it was received or last written, in milliseconds since 1970; null when that is not known. */
  readonly at: number | null;
  /** The received bytes of an event or entry; null elsewhere, and once pruned. */
  readonly body: Uint8Array | null;
  /** The other columns by name. Some are JSON. */
  readonly texts: Readonly<Record<string, string | null>>;
}

/** New content of a row. A column that changed since it was read keeps its content. */
export interface ContentChange {
  readonly place: ContentPlace;
  readonly row: number;
  readonly body?: { readonly before: Uint8Array; readonly after: Uint8Array };
  readonly texts?: Readonly<Record<string, { readonly before: string; readonly after: string }>>;
}

/** What became of a change: made, left out because of a hold, or left out because the row or the holds changed since. */
export type ContentOutcome = 'changed' | 'held' | 'outdated';

/** A subject whose content must not be erased or pruned. */
export interface Hold {
  readonly subject: Subject;
  readonly reason: string;
  readonly placedBy: string;
  /** Milliseconds since 1970. */
  readonly placedAt: number;
}

/** An identifier without personal data: the HMAC of it, by the store's key. */
export interface HashedIdentifier {
  readonly type: string;
  /** In hexadecimal. */
  readonly hash: string;
}

/** The process that erases now. */
export interface ErasingProcess {
  /** Host and process id, `fleet-1:4711`, as lists of processes have them. */
  readonly process: string;
  /** When it began, in milliseconds since 1970; null when the database does not tell. */
  readonly since: number | null;
}

/** The right to erase, which one process has at a time. */
export interface ErasureLock extends ErasingProcess {
  readonly since: number;
  /** Aborted when the right is lost, with the reason: what follows must not erase. */
  readonly signal: AbortSignal;
}

/** What one process did for an erasure without interruption. */
export interface RecordedRun {
  /** The process that held the erasure lock. */
  readonly process: string;
  /** Milliseconds since 1970, when it took the lock. */
  readonly startedAt: number;
  /** Changed rows by place; a place without any is left out. */
  readonly rows: Readonly<Partial<Record<ContentPlace, number>>>;
}

/** One line of the ledger: a person was erased, or is being erased. */
export interface ErasureRecord {
  /** `x` and a number. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Null until every row was erased and checked. */
  readonly finishedAt: number | null;
  readonly requestedBy: string;
  readonly reason: string;
  readonly identifiers: readonly HashedIdentifier[];
  /** What was erased so far, oldest first: more than one run after an interruption. */
  readonly runs: readonly RecordedRun[];
  /** The signed receipt as JSON; null until it is issued, and if it was issued elsewhere and is not known here. */
  readonly receipt: string | null;
}

/** An erasure that begins. One that another copy of the store has finished may bring its receipt. */
export type BegunErasure = Pick<ErasureRecord, 'requestedBy' | 'reason' | 'identifiers'> &
  Partial<Pick<ErasureRecord, 'receipt'>>;

/** Finds and erases personal data. Operators call it; never the hot path. */
export interface Privacy {
  /** Returns the key of this store, 32 bytes: it keys digests and hashes, and signs receipts. */
  erasureKey(): Promise<Uint8Array>;
  /** Returns the next rows of a place after a row, in order; a few megabytes at most. */
  contents(
    place: ContentPlace,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredContent[]>;
  /** Returns the rows that were derived from an event: its deliveries, and its subject's states, bases and anomalies. */
  derivedContents(eventId: string): Promise<readonly StoredContent[]>;
  /** Counts the running deliveries of erased events: their handlers may have read what was erased. */
  runningErased(): Promise<number>;
  /**
   * Replaces content in one transaction. An event whose body changes keeps its
   * identity, version and verdict, gets the flag `erased`, and a digest keyed by the
   * store's key, so that a repeat of the original is still recognized. The content of
   * held subjects stays as it is. Returns an outcome for each change. `beginErasure` comes
   * first: repeats of originals are looked for only once an erasure is in the ledger.
   *
   * @param knownHolds the subjects whose holds were considered: with another hold, every change is outdated
   * @param erasure the erasure whose last run counts the changed rows, in the same transaction
   */
  eraseContents(
    changes: readonly ContentChange[],
    options?: { readonly knownHolds?: readonly Subject[]; readonly erasure?: string },
  ): Promise<readonly ContentOutcome[]>;
  /** Copies the log into the file and empties it. False while another process reads the log. */
  truncateLog(): Promise<boolean>;

  /**
   * Runs an erasure, from before its line in the ledger until its receipt, while nobody else erases in this store: no
   * other process, and nothing else in this one.
   *
   * @throws PortariaError `erasure-refused` while another one runs; it says where, and since when
   */
  eraseAlone<T>(work: (lock: ErasureLock) => Promise<T>): Promise<T>;
  /** Returns the process that erases now, of all that use this store; null when none does. */
  erasing(): Promise<ErasingProcess | null>;
  /** @returns the id of the erasure, which is new */
  beginErasure(erasure: BegunErasure): Promise<string>;
  /**
   * Begins a run of an erasure, the first or one that continues it, with all identifiers that are known now.
   *
   * @throws PortariaError `not-found`, also when the erasure is finished
   */
  beginErasureRun(
    id: string,
    run: Pick<ErasureRecord, 'identifiers'> & Pick<RecordedRun, 'process' | 'startedAt'>,
  ): Promise<void>;
  /**
   * Ends an erasure. A receipt that was issued stays.
   *
   * @param receipt null when the erasure was made elsewhere, and only repeated here: the receipt of there stays
   * @throws PortariaError `not-found`, also when the erasure is finished
   */
  finishErasure(id: string, receipt: string | null): Promise<void>;
  /** The ledger, oldest first. */
  erasures(): Promise<readonly ErasureRecord[]>;

  /** Places holds; a subject that is held already keeps its first reason. */
  hold(subjects: readonly Subject[], hold: Pick<Hold, 'reason' | 'placedBy'>): Promise<void>;
  /** Removes holds, and returns how many there were. */
  removeHolds(subjects: readonly Subject[]): Promise<number>;
  holds(): Promise<readonly Hold[]>;
}
