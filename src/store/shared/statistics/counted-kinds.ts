/** The bounds of unknown kinds that have counts of their own. */

/** The maximum number of kinds outside the contract with counts of their own: senders can invent any number. */
export const MAX_UNKNOWN_KINDS = 1_000;

/** The characters of such a kind, at most: PostgreSQL has no index for long ones, and no page shows them. */
export const MAX_COUNTED_KIND = 256;

/** The kind in `event_counts` for all other unknown kinds. The parser rejects an empty kind. */
export const OTHER_KINDS = '';
