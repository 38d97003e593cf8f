/** The audit as a store keeps it: what operators did, in a chain of hashes. */

/** Where an operator acted; `serve` for what the process does by its settings. */
export const auditPlaces = ['console', 'api', 'command-line', 'serve'] as const;
export type AuditPlace = (typeof auditPlaces)[number];

/** How an action ended. `unfinished`: it began, and its end was not recorded. */
export const auditResults = ['done', 'failed', 'rejected', 'unfinished'] as const;
export type AuditResult = (typeof auditResults)[number];

/** What an operator did: who, what, when, why, from where. No token, no payload, no personal data of subjects. */
export interface NewAuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly place: AuditPlace;
  /** The name of the operator; null when nobody was identified. */
  readonly actor: string | null;
  /** The client's address; null without a connection. */
  readonly address: string | null;
  /** The operation id of the operators' API, such as `retryDeliveries`. */
  readonly action: string;
  /** Whether personal data was shown in plain text. */
  readonly unmasked: boolean;
  /** Ids and filters of the action, by name. A list is joined by `, `. */
  readonly subject: Readonly<Record<string, string>>;
  /** Why, in the operator's words; null when none was given. */
  readonly reason: string | null;
  /** `unfinished` for an action that begins now. */
  readonly result: AuditResult;
  /** The HTTP status of the response; null elsewhere. */
  readonly status: number | null;
  /** How often it happened; more than 1 only for rejected requests and sign-ins that are counted together. */
  readonly times: number;
  /** The entry of the begin that this entry ends; null for an entry of its own. */
  readonly ends: string | null;
}

/** An action as the audit shows it: its begin and its end in one. */
export interface AuditEntry extends Omit<NewAuditEntry, 'ends'> {
  /** `u` and a number, without gaps. */
  readonly id: string;
  /** When it ended, in milliseconds since 1970; null for an action that is unfinished or has no duration. */
  readonly endedAt: number | null;
}

/** Selects entries; conditions given together must all hold. */
export interface AuditFilter {
  /** At or after this time, in milliseconds since 1970. */
  readonly since?: number;
  /** Before this time. */
  readonly until?: number;
  /** A name; `ana` also selects `ana@host`. */
  readonly actor?: string;
  readonly action?: string;
  /** An id or another value of `subject`, whole: a member of a list, too. */
  readonly subject?: string;
  readonly place?: AuditPlace;
  readonly result?: AuditResult;
  readonly unmasked?: boolean;
}

/** An entry and its hash, by which others can check later that nothing up to it has changed. */
export interface AuditMark {
  readonly id: string;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

/** What a check of all entries found. */
export interface AuditCheck {
  /** Stored entries. The begin and the end of an action are two. */
  readonly entries: number;
  readonly last: AuditMark | null;
  /** The last entry that retention removed; null when none was. */
  readonly prunedThrough: string | null;
  /** Entries that were changed, removed or added past the chain of hashes. Empty for a whole audit. */
  readonly problems: readonly { readonly id: string; readonly problem: string }[];
}

/** Keeps what operators did. Entries are appended, never changed; only retention removes the oldest. */
export interface AuditLog {
  /** Appends an entry and returns its id. */
  appendAudit(entry: NewAuditEntry): Promise<string>;
  /**
   * Removes the oldest entries, up to the first that is not older than `before`, and appends an entry that
   * says so.
   *
   * @returns the number of removed entries; at most `limit`
   */
  pruneAudit(before: number, limit: number): Promise<number>;
  audit(
    filter: AuditFilter,
    page: { readonly order: 'newest' | 'oldest'; readonly limit: number; readonly after?: string },
  ): Promise<readonly AuditEntry[]>;
  /**
   * Checks the hash of every entry against the entry before it.
   *
   * @param known a mark that was noted earlier: its entry must still have this hash
   */
  checkAudit(known?: AuditMark): Promise<AuditCheck>;
}

/**
 * Remembers the sessions that were signed out. A session is a signed cookie, valid in every process; without
 * this, a copy of it would outlive the sign-out.
 */
export interface EndedSessions {
  /**
   * Ends a session.
   *
   * @param session its id
   * @param endsAt milliseconds since 1970 at which it would have ended; it is forgotten then
   */
  endSession(session: string, endsAt: number): Promise<void>;
  isSessionEnded(session: string): Promise<boolean>;
}
