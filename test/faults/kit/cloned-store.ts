import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../../src/store/route.ts';
import { fillDatabase } from './filled-store.ts';
import { chargeBody } from './senders/webhooks.ts';

const cloner = fileURLToPath(new URL('../../../bench/store/clone-template-process.mjs', import.meta.url));

/** The first entity id of the clones. No other event uses ids from here on. */
const FIRST = 1_000_000;

/** Creates a database with one pending delivery for each of very many subjects. */
export async function cloneCharges(database: string, count: number, route: Route): Promise<void> {
  await fillDatabase(database, [chargeBody(FIRST, 1)], [route]);
  const copies = JSON.stringify({ count, shift: FIRST - 1 });
  const { status, stderr } = spawnSync(process.execPath, [cloner, database, copies], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the store could not be cloned: ${stderr}`);
}
