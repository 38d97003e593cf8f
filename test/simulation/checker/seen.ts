/** What was looked at. */
export interface Seen {
  /** The highest number of a delivery. */
  delivery: number;
  /** How many commits there were when resolutions were looked at. */
  commits: number;
  /** How many events there were. */
  events: number;
  /** How many of them were pruned. */
  pruned: number;
  /** How many deliveries there were when everything was looked at. */
  atAll: number;
}
