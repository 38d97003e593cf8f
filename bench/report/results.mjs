/**
 * A row of the table.
 *
 * @typedef {object} RowPlan
 * @property {string} id
 * @property {string} what
 * @property {{ least: number } | { most: number }} aim
 * @property {string} [unit] unless it is a ratio
 *
 * @typedef {RowPlan & { samples: number[], notes: string[], skipped: string | undefined }} Row
 *
 * @typedef {object} Results
 * @property {(id: string, value: number) => void} add a sample: one of each round
 * @property {(id: string, text: string) => void} note what the numbers come from
 * @property {(id: string, reason: string) => void} skip what is not measured any more; the first reason stands
 * @property {() => readonly Row[]} rows
 */

/**
 * What was measured so far: a benchmark that is cut short still has its finished rounds to show.
 *
 * @param {readonly RowPlan[]} plans
 * @returns {Results}
 */
export function createResults(plans) {
  const rows = plans.map(
    (plan) => /** @type {Row} */ ({ ...plan, samples: [], notes: [], skipped: undefined }),
  );
  /** @param {string} id */
  const find = (id) => {
    const row = rows.find((candidate) => candidate.id === id);
    if (row === undefined) throw new Error(`there is no row ${id}`);
    return row;
  };
  return {
    add: (id, value) => void find(id).samples.push(value),
    note: (id, text) => void find(id).notes.push(text),
    skip: (id, reason) => void (find(id).skipped ??= reason),
    rows: () => rows,
  };
}
