/** How far each statement of a search through the log reads. */

/** Events that the first statement of a scan looks at. Each further one looks at twice as many. */
const FIRST_WINDOW = 1_000;
const MAX_WINDOW = 8_000;

/** Deliveries in a status, up to which their index is faster than a walk of the events. */
export const MAX_INDEXED = 1_000;
/** Events that one statement returns for their bodies to be tested. */
export const MAX_TESTED = 500;

/** Part of the log to look at: so many events below a row number. */
export interface ScanStep {
  readonly below: number;
  readonly window: number;
  /** The maximum number of matches. */
  readonly limit: number;
}

/** The matches, newest first, and how far a step came. */
export interface Seen {
  readonly rows: readonly number[];
  /** The lowest row that was looked at; `below` when there was none. */
  readonly through: number;
  /** How many events were looked at. */
  readonly looked: number;
  /** Whether no lower row is left. */
  readonly isEnd: boolean;
}

/** Looks at events from the newest to the oldest, in statements of bounded size, until the limit or the time is reached. */
export async function scanInSteps(
  read: (step: ScanStep) => Seen | Promise<Seen>,
  { below, limit, isOver }: Pick<ScanStep, 'below' | 'limit'> & { readonly isOver: () => boolean },
): Promise<Seen> {
  const rows: number[] = [];
  let [through, window, looked, isEnd] = [below, FIRST_WINDOW, 0, false];
  do {
    const seen = await read({ below: through, window, limit: limit - rows.length });
    rows.push(...seen.rows);
    looked += seen.looked;
    ({ through, isEnd } = seen);
    window = Math.min(window * 2, MAX_WINDOW);
  } while (!isEnd && rows.length < limit && !isOver());
  return { rows, through, looked, isEnd };
}
