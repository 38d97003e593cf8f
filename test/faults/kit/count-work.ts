import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Workspace } from '../../support/workspace.ts';
import { ledgerOf } from './booking.ts';
import { printFigures } from './figures.ts';
import { inspectStore, storedBodies } from './inspect-store.ts';
import { lanesOf } from './lane-runs.ts';
import type { Senders } from './senders/senders.ts';

/** What became of the charges that several processes received: see `booking.ts`. */
export interface Work {
  readonly acknowledged: number;
  readonly stored: number;
  /** The number of responses that were no acknowledgement, by status; 0 for a connection that failed. */
  readonly rejections: ReadonlyMap<number, number>;
  readonly handledTwice: number;
  /** Acknowledged bodies that are not stored. */
  readonly lost: readonly string[];
  /** Bodies that are stored more than once. */
  readonly doubled: readonly string[];
  /** Stored charges that no attempt has finished. */
  readonly unhandled: readonly string[];
  /** Attempts that began while another one of the same lane was running. */
  readonly overlaps: readonly string[];
  /** Attempts that began after one of a later event of the same lane. */
  readonly inversions: readonly string[];
  /** Subjects whose machine has another state than without faults. */
  readonly wrongStates: readonly string[];
}

/** Counts once every delivery is finished. */
export async function countWork(
  workspace: Pick<Workspace, 'recorded'>,
  senders: Pick<Senders, 'acknowledged' | 'rejections'>,
  database: string,
): Promise<Work> {
  const bodies = (await inspectStore(database, storedBodies)).map(({ body }) => body);
  const kept = new Set(bodies);
  const codes = bodies.map((body) => (JSON.parse(body) as { data: { code: string } }).data.code);
  const recorded = workspace.recorded();
  const finished = recorded.filter((line) => line.endsWith(' done')).map((line) => line.split(' ')[2] ?? '');
  const done = new Set(finished);
  const states = await inspectStore(database, (store) =>
    store.listMachineStates({ machine: 'ledger', limit: 1_000 }),
  );
  const stateOf = new Map(states.map(({ subject, state }) => [subject.id, state]));
  const bySubject = Map.groupBy(codes, (code) => code.split('-')[0] ?? '');
  return {
    acknowledged: senders.acknowledged.size,
    stored: bodies.length,
    rejections: senders.rejections,
    handledTwice: finished.length - done.size,
    lost: [...senders.acknowledged.keys()].filter((body) => !kept.has(body)),
    doubled: [...Map.groupBy(bodies, (body) => body)].flatMap(([body, { length }]) =>
      length > 1 ? [body] : [],
    ),
    unhandled: codes.filter((code) => !done.has(code)),
    ...lanesOf(recorded),
    wrongStates: [...bySubject].flatMap(([subject, own]) => {
      const amounts = own.map((code) => Number(code.split('-')[1]));
      const expected = ledgerOf(amounts.toSorted((one, other) => one - other));
      return isDeepStrictEqual(stateOf.get(subject), expected) ? [] : [subject];
    }),
  };
}

/** Prints the counts, and fails if anything is lost, doubled, overtaken or wrong. */
export function expectWholeWork(
  what: string,
  work: Work,
  further: Readonly<Record<string, number | string>> = {},
): void {
  const { rejections, lost, doubled, unhandled, overlaps, inversions, wrongStates } = work;
  printFigures(what, {
    acknowledged: work.acknowledged,
    stored: work.stored,
    'other responses': [...rejections.values()].reduce((sum, count) => sum + count, 0),
    'handled twice': work.handledTwice,
    lost: lost.length + unhandled.length,
    doubled: doubled.length,
    overlaps: overlaps.length,
    inversions: inversions.length,
    'wrong states': wrongStates.length,
    ...further,
  });
  const faults = Object.entries({ lost, doubled, unhandled, overlaps, inversions, wrongStates }).flatMap(
    ([fault, which]) => (which.length === 0 ? [] : [`${fault}: ${which.slice(0, 10).join('; ')}`]),
  );
  // Also as the message: a report in JSON leaves the values out.
  expect(faults, faults.join('\n')).toEqual([]);
  // 0 is a connection that failed: its receiver was killed.
  expect([...rejections.keys()].filter((status) => status !== 0 && status !== 503)).toEqual([]);
}
