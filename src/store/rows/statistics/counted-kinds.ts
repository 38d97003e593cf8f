/** The maximum number of kinds outside the contract with counts of their own: senders can invent any number. */
export const MAX_UNKNOWN_KINDS = 1_000;

/** The kind in `event_counts` for all other unknown kinds. The parser rejects an empty kind. */
export const OTHER_KINDS = '';
