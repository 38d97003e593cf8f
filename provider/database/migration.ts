/** One step of the tables. In a list of its own order; a released one never changes. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}
