import pg from 'pg';

/**
 * Runs a statement on a connection of its own, and returns its rows.
 *
 * @param {string} address
 * @param {string} text
 * @param {readonly unknown[]} [values]
 * @returns {Promise<any[]>}
 */
export async function queryOnce(address, text, values = []) {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
