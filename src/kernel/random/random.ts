/** A number from 0 (included) to 1 (excluded). `Math.random` outside tests. */
export type Random = () => number;
