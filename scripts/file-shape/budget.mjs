/** What ships, by room, and the budget of it: a room grows when somebody decides so, not by the way. */

/**
 * @typedef {{ path: string, lines: number }} Source
 * @typedef {{ lines: number, files: number }} Weight
 * @typedef {{ lines: number, files: number, testLines: number, rooms: Record<string, number> }} Budget
 */

const REMEDY =
  'Remove lines, or raise scripts/file-shape/budget.json and say in the commit message what a user gets for it.';

/** @param {string} path */
export function isTest(path) {
  return /[.]test[.]tsx?$|^test\b|^provider.test\b/.test(path);
}

/** @param {readonly Source[]} sources @returns {Weight} */
export function weigh(sources) {
  return { lines: sources.reduce((sum, { lines }) => sum + lines, 0), files: sources.length };
}

/**
 * The weight of each room: a folder of `src`, the files beside these folders, and each other top-level folder.
 *
 * @param {readonly Source[]} shipped
 * @returns {[room: string, Weight][]}
 */
export function rooms(shipped) {
  const byRoom = Map.groupBy(shipped, ({ path }) => {
    const [top = '', room, file] = path.split(/[\\/]/);
    return top === 'src' && file !== undefined ? `src/${room}` : top;
  });
  return [...byRoom]
    .map(([room, sources]) => /** @type {[string, Weight]} */ ([room, weigh(sources)]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * What exceeds the budget, as messages that say where, by how much, and what to do.
 *
 * @param {readonly Source[]} shipped
 * @param {readonly Source[]} tests
 * @param {Budget} budget
 */
export function overBudget(shipped, tests, budget) {
  const whole = weigh(shipped);
  const measured = [
    ...rooms(shipped).map(([room, { lines }]) => ({
      what: `lines in ${room}`,
      count: lines,
      limit: budget.rooms[room] ?? 0,
    })),
    { what: 'shipped lines', count: whole.lines, limit: budget.lines },
    { what: 'shipped files', count: whole.files, limit: budget.files },
    { what: 'lines of tests', count: weigh(tests).lines, limit: budget.testLines },
  ];
  return measured
    .filter(({ count, limit }) => count > limit)
    .map(
      ({ what, count, limit }) => `${count} ${what}, ${count - limit} over the budget of ${limit}. ${REMEDY}`,
    );
}
