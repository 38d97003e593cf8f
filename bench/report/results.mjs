/**
 * A row of the table.
 *
 * @typedef {object} RowPlan
 * @property {string} id
 * @property {string} what
 * @property {{ min: number } | { max: number }} [aim] none for a row that only reports
 * @property {string} [unit] none for a ratio
 *
 * @typedef {RowPlan & { samples: number[], notes: string[], skipped: string | undefined }} Row
 *
 * @typedef {object} Results
 * @property {(id: string, value: number) => void} add adds the sample of a round
 * @property {(id: string, text: string) => void} note adds the figures behind a row
 * @property {(id: string, reason: string) => void} skip marks a row as skipped; the first reason counts
 * @property {() => readonly Row[]} rows
 */

/**
 * Collects the results, so that an interrupted benchmark can show its finished rounds.
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
    if (row === undefined) throw new Error(`unknown row: ${id}`);
    return row;
  };
  return {
    add: (id, value) => void find(id).samples.push(value),
    note: (id, text) => void find(id).notes.push(text),
    skip: (id, reason) => void (find(id).skipped ??= reason),
    rows: () => rows,
  };
}
