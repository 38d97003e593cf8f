import { PortariaError } from '../../kernel/errors.ts';
import { LEASE_MS } from '../postgres/database/lease.ts';
import type { PostgresClient } from './postgres-client.ts';

/** @throws PortariaError `store-locked` while a process has a lease to dispatch */
export async function requireNoOwner({ rows, location }: PostgresClient): Promise<void> {
  const owners = await rows(
    `select host, pid from leases
     where seen_at >= clock_timestamp() - $1 * interval '1 millisecond' order by holder`,
    [LEASE_MS],
  );
  const [first] = owners;
  if (first === undefined) return;
  const [host, pid] = first;
  const others = owners.length === 1 ? '' : ` and ${String(owners.length - 1)} more`;
  throw new PortariaError(
    'store-locked',
    `${location} is served by process ${String(pid)} on ${String(host)}${others}: stop them, and copy again ` +
      `(one that was killed counts for ${String(LEASE_MS / 1000)} seconds)`,
  );
}
