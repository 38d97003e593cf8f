/** Refuses what must not happen while a process serves the database. */
import { PortariaError } from '../../../../kernel/errors.ts';
import type { Session } from '../../sql/session.ts';
import { LEASE_MS, readLiveProcesses } from './lease.ts';

/**
 * @throws PortariaError `store-locked` while a process has a lease to dispatch
 */
export async function requireNoOwner({
  session,
  location,
}: {
  readonly session: Session;
  readonly location: string;
}): Promise<void> {
  const owners = await readLiveProcesses(session);
  const [first] = owners;
  if (first === undefined) return;
  const { host, pid } = first;
  const others = owners.length === 1 ? '' : ` and ${String(owners.length - 1)} more`;
  throw new PortariaError(
    'store-locked',
    `${location} is served by process ${String(pid)} on ${host}${others}: stop them, and try again ` +
      `(one that was killed counts for ${String(LEASE_MS / 1000)} seconds)`,
  );
}
