/** One step of the schema. A released step never changes what it leaves behind. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}
