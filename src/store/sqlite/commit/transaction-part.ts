/**
 * What keeps something in memory for the length of a transaction, and must
 * follow its fate.
 */
export interface TransactionPart {
  /** Called inside the transaction, as the last thing before its commit. */
  beforeCommit?(): void;
  /** After the commit. */
  committed(): void;
  /** After the transaction was undone as a whole. */
  undone(): void;
  /** Remembers how things stand before one write of it; what is returned goes back to that. */
  mark(): () => void;
}
