/** What the simulated world asks of the thread that talks to PostgreSQL, and what it answers. */

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Of a prepared statement. */
  readonly name: string | undefined;
}

export type Request =
  /** Connects, or takes a session that an earlier connection has left. */
  | { readonly do: 'open' }
  /** Sends a statement, and waits until it has ended or waits for a lock. */
  | { readonly do: 'send'; readonly connection: number; readonly statement: Statement }
  /** Ends what a connection has sent, and leaves its session to the next one. */
  | { readonly do: 'drop'; readonly connection: number }
  /** Ends the statement of a connection that waits for a lock. */
  | { readonly do: 'cancel'; readonly connection: number }
  /** Reads or writes beside the connections. */
  | { readonly do: 'ask'; readonly text: string; readonly values: readonly unknown[] };

export interface Failure {
  readonly message: string;
  readonly code: string | undefined;
}

/** Of one statement, or of each of several in one text. */
export interface Result {
  readonly command: string;
  readonly rowCount: number | null;
  readonly types: readonly number[];
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** How the statement of a connection has ended. */
export interface Ended {
  readonly connection: number;
  readonly result: Result | null;
  readonly failure: Failure | null;
  readonly notices: readonly Failure[];
}

export interface Answer {
  /** Of `open`: the new connection, and the number of its process of the server. */
  readonly opened: { readonly connection: number; readonly pid: number } | null;
  /** Statements that have ended, in their order. */
  readonly ended: readonly Ended[];
  /** Of `ask`. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Why nothing could be done. */
  readonly error: string | null;
}
