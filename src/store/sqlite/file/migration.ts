/** One step of the schema. Levels count from 1 without gaps; a released step never changes. */
export interface Migration {
  readonly level: number;
  readonly name: string;
  readonly sql: string;
}
