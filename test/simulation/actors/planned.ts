/** A plan of an operator, and what it may change: deliveries, or the events of a replay by their numbers. */
export interface Planned {
  readonly token: string;
  readonly action: string;
  readonly handler: string;
  /** Where its events are sent to; null for handlers. */
  readonly url: string | null;
  readonly planned: ReadonlySet<string>;
  /** Deliveries that were dead letters all the time while it was made, with their lives: it has each of them. */
  readonly certain: ReadonlyMap<string, number>;
  /** Lives of the deliveries when it was made: what has run since is not in it. */
  readonly lives: ReadonlyMap<string, number>;
  readonly items: number;
  /** By the wall clock, with how often it had jumped. */
  readonly madeAt: number;
  readonly jumps: number;
  /** Whether it took the place of a plan that was too small. */
  readonly isAgain: boolean;
  /** How often handlers had got other kinds: what a job calls then is not what was planned. */
  readonly upgrades: number;
  /** Whether calls depend on what has succeeded by then. */
  readonly isConditional: boolean;
}
