/** Reads the ledger of a store in PostgreSQL that this process does not use, and leaves the database as it is. */
import type pg from 'pg';
import { PortariaError } from '../../../kernel/errors.ts';
import { addressWithoutPassword } from '../../../kernel/postgres-address.ts';
import type { ErasingProcess, Ledger } from '../../privacy.ts';
import { createClient } from '../database/connections/client.ts';
import { RESPONSE_TIMEOUT_MS, storeTypes } from '../database/connections/pools.ts';
import { storeError } from '../database/connections/store-error.ts';
import { requireNoCopy } from '../database/tables/copy-marks.ts';
import { newestLevel } from '../database/tables/migrations.ts';
import { readSchemaLevel, requireKnownLevel } from '../database/tables/schema-level.ts';
import { createQueryBuilder } from '../sql/connection.ts';
import { createSession } from '../sql/session.ts';
import { createLedgerReads } from './erasure-ledger.ts';
import { createHoldReads } from '../../shared/privacy/holds.ts';
import { findErasureKey } from './keyed-digest.ts';
import { readEraser } from './one-erasure.ts';
import { storeIdsOf } from './take-over-key.ts';

/** A ledger, and the process that erases in its store. */
interface PostgresLedger extends Ledger {
  readonly erasing: ErasingProcess | null;
}

/**
 * Reads all of the ledger as of one moment.
 *
 * @throws PortariaError `not-found` without a store in the database, `store-newer`, `store-unsupported`, `store-busy`
 */
export async function readPostgresLedger(url: string): Promise<PostgresLedger> {
  const location = addressWithoutPassword(url);
  const client = createClient(url, 'ledger', { query_timeout: RESPONSE_TIMEOUT_MS.read, types: storeTypes });
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    return await readLedgerOf(client, location);
  } catch (error) {
    throw storeError(error, location);
  } finally {
    await client.end();
  }
}

async function readLedgerOf(client: pg.Client, location: string): Promise<PostgresLedger> {
  const read = createSession(client, createQueryBuilder());
  await requireNoCopy(read, location);
  const found = await readSchemaLevel(read);
  if (found.level === 0) throw new PortariaError('not-found', `There is no store in ${location}`);
  requireKnownLevel(found, newestLevel);
  return {
    key: await findErasureKey(read),
    storeIds: await storeIdsOf(read),
    erasures: await createLedgerReads({ read }).erasures(),
    holds: await createHoldReads({ read }).holds(),
    erasing: await readEraser(client),
  };
}
