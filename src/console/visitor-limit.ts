/** Limits how much heavy work runs at a time for one visitor. */
export type VisitorLimit = <T>(whose: string, work: () => Promise<T>) => Promise<T>;

/**
 * Limits work that takes much memory or time: of one visitor, no more than `slots` pieces of work run
 * at a time. The others wait, first come, first served.
 */
export function createVisitorLimit(slots: number): VisitorLimit {
  const busy = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (whose, work) => {
    const lane = busy.get(whose) ?? { running: 0, waiting: [] };
    busy.set(whose, lane);
    if (lane.running >= slots) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running += 1;
    try {
      return await work();
    } finally {
      // The slot goes to the first that waits, so that nobody overtakes it.
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else {
        lane.running -= 1;
        if (lane.running === 0) busy.delete(whose);
      }
    }
  };
}
