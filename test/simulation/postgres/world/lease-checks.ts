/** Who may run deliveries: the model follows the heartbeats by itself, as the network has run them. */
import { violated } from '../../checker/violation.ts';
import type { Connection } from '../network/connection.ts';
import type { Ended } from '../server/messages.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** Milliseconds for which a process may begin calls after its last heartbeat. */
const VALID_MS = 6_000;
/** Milliseconds after which others may end its lease: less than it lasts, by one heartbeat that they may have missed. */
const ENDS_MS = 6_500;

export interface LeaseDeps {
  readonly processes: readonly SimulatedProcess[];
  /** By the monotonic clock. */
  readonly now: () => number;
  /** The leases that the database has. */
  readonly living: () => readonly { readonly holder: number }[];
  readonly onLoss: (process: SimulatedProcess) => void;
}

export class LeaseChecks {
  readonly #deps: LeaseDeps;
  readonly #deleting = new Set<Connection>();

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  requireLease({ number, lease }: SimulatedProcess, handler: string): void {
    const age = lease === null ? Infinity : this.#deps.now() - lease.seenAt;
    if (age > VALID_MS)
      throw violated('leases', `process ${number} runs ${handler} ${age} ms after its last heartbeat`);
  }

  ran(connection: Connection, text: string, { result, failure }: Ended): void {
    if (failure !== null) return;
    const { process } = connection;
    if (connection.purpose === 'lease' && /^\s*(?:update|insert into) leases/u.test(text)) {
      const at = result?.names.indexOf('holder') ?? -1;
      const holder = result?.rows[0]?.[at];
      if (holder != null) process.lease = { holder: Number(holder), seenAt: this.#deps.now() };
    }
    if (text.includes('delete from leases')) this.#deleting.add(connection);
    if (!this.#deleting.has(connection) || connection.isInTransaction) return;
    this.#deleting.delete(connection);
    this.#look();
  }

  #look(): void {
    const living = new Set(this.#deps.living().map(({ holder }) => holder));
    for (const process of this.#deps.processes) {
      const { lease, isDead, isStopping, number } = process;
      if (lease === null || living.has(lease.holder)) continue;
      process.lease = null;
      if (isDead || isStopping) continue;
      const age = this.#deps.now() - lease.seenAt;
      if (age < ENDS_MS)
        throw violated(
          'leases',
          `the lease of process ${number} was ended ${age} ms after its last heartbeat`,
        );
      this.#deps.onLoss(process);
    }
  }
}
