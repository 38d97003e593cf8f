import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { recording, type Workspace } from '../../support/workspace.ts';

/** The expression for the present time in recorded lines: microseconds of the clock that all processes of a machine share. */
const NOW = 'process.hrtime.bigint() / 1_000n';

/**
 * Writes a handler and a machine whose work of several processes can be checked. The handler records when each attempt
 * begins and ends, and when, for `lane-runs.ts`; every seventh amount fails at first. While the test's folder has a file
 * `slow`, attempts that begin take 4 or 14 seconds. The state of the machine shows whether it received each charge once
 * and in order.
 */
export function writeBooking(workspace: Workspace): void {
  workspace.writeHandler(
    'booking.ts',
    `${recording(workspace)}
import { defineMachine } from 'portaria';

const failed = new Set<string>();
export default defineHandler({
  name: 'booked',
  on: 'charge.*',
  retry: { attempts: 50, baseMs: 20, maxMs: 200 },
  async handle({ data }, { signal }) {
    // Before the write, which a stop of the process may delay.
    const begunAt = ${NOW};
    record('begin ' + process.pid + ' ' + data.code + ' ' + begunAt);
    const end = (how: string) => record('end ' + process.pid + ' ' + data.code + ' ' + (${NOW}) + ' ' + how);
    const duration = existsSync(join(folder, 'slow')) ? (Number(data.amount) % 2 === 0 ? 4_000 : 14_000) : 2;
    try {
      await pause(duration, undefined, { signal });
    } catch (error) {
      end('aborted');
      throw error;
    }
    const fails = Number(data.amount) % 7 === 0 && !failed.has(String(data.code));
    failed.add(String(data.code));
    end(fails ? 'failed' : 'done');
    if (fails) throw new Error('the first attempt fails');
  },
});

export const ledger = defineMachine({
  name: 'ledger',
  on: 'charge.*',
  initial: { entries: 0, chain: 0 },
  evolve: ({ entries, chain }, { data }) => ({
    entries: entries + 1,
    chain: (chain * 31 + Number(data.amount)) % 1_000_000_007,
  }),
});
`,
  );
}

/** Notes in the record of the handlers that the test has killed or stopped a process, or that one goes on. */
export function noteProcess(
  workspace: Pick<Workspace, 'folder'>,
  what: 'killed' | 'stopped' | 'continued',
  pid: number,
): void {
  const at = process.hrtime.bigint() / 1_000n;
  appendFileSync(join(workspace.folder, 'record'), `${what} ${String(pid)} - ${String(at)}\n`);
}

/** The state that the ledger has after these amounts in order. */
export function ledgerOf(amounts: readonly number[]): { readonly entries: number; readonly chain: number } {
  return {
    entries: amounts.length,
    chain: amounts.reduce((chain, amount) => (chain * 31 + amount) % 1_000_000_007, 0),
  };
}
