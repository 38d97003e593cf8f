/** The values of `deliveries.head`, and the bounds of what reads heads. */

/** `deliveries.head` of a delivery that runs, is over, or waits behind another one of its lane. */
export const NO_HEAD = 0;

/** `deliveries.head` of the first delivery of a lane in which none runs: claims start it when it is due. */
export const HEAD = 1;

/** `deliveries.head` of a head that a claim has parked, because its source or lane is paused. */
export const PARKED_HEAD = 2;

/** Parked heads that one step looks at, after the pauses have changed. */
export const UNPARK_STEP = 2_000;

/** Unfinished deliveries of a lane that are counted for operators. */
export const MAX_COUNTED_IN_LANE = 1_000;

/** Deliveries of a lane among which the current one is sought: a retried one may stand before the one that runs. */
export const SEARCHED_FOR_CURRENT = 20;
