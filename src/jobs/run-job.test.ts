import { expect, it } from 'vitest';
import type { JobRecord, JobSelection } from '../store/jobs.ts';
import { selectionOf, selectionText } from '../store/shared/jobs/job-record.ts';
import { manualClock } from '../testing/manual-clock.ts';
import type { RunDeps } from './job-deps.ts';
import { runJob } from './run-job.ts';

/** Lets everything run that waits for no clock. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('a release that is cancelled while it waits for its rate releases nothing more', async () => {
  const clock = manualClock('2026-11-20T12:00:00Z');
  const job = {
    ...{ id: 'j1', action: 'release', planned: 9, rate: 1, stopAt: null, state: 'running', cursor: null },
    ...{ selection: { entries: {} }, acted: 0, leftAlone: 0, succeeded: 0, failed: 0, skipped: 0 },
    stage: { size: null, acted: 0, ended: 0, failed: 0 },
  };
  let steps = 0;
  const store = {
    job: () => Promise.resolve({ ...job } as unknown as JobRecord),
    recordJobResults: () => Promise.resolve({ job: { ...job } as unknown as JobRecord, open: 0 }),
    quarantined: () => Promise.resolve([{ id: 'q1' }]),
    quarantinedDelivery: () => Promise.resolve(null),
    droppedFromQuarantine: () => Promise.resolve(['q1']),
    stepJob: () => {
      steps += 1;
      return Promise.resolve();
    },
  };
  const deps = { store, clock, wake: () => undefined } as unknown as RunDeps;
  const run = runJob(deps, 'j1', new AbortController().signal);
  await settled();
  expect(steps).toBe(1);
  job.state = 'cancelled';
  clock.advance(1_000);
  await run;
  expect(steps).toBe(1);
});

const ofSubject: JobSelection = { entries: { subject: { family: 'charge', id: '118' } } };
const selection: JobSelection = { deliveries: { company: '12', subjects: [], status: 'dead' } };

it.each([
  [
    'of a condition that this version does not know',
    selectionOf(selectionText(selection).replace('form2', 'form3')),
  ],
  // Version 1.0 reads the column as it is.
  ['of a company, to a version before it', JSON.parse(selectionText(selection)) as JobSelection],
  [
    'of webhooks about a subject, to a version before it',
    JSON.parse(selectionText(ofSubject)) as JobSelection,
  ],
])('a job %s is stopped with the reason, and acts on nothing', async (_, selected) => {
  const changes: unknown[] = [];
  const job = { id: 'j1', action: 'retry', state: 'running', stage: { number: 1 }, selection: selected };
  const store = {
    job: () => Promise.resolve(job as unknown as JobRecord),
    changeJob: (_id: string, change: unknown) => Promise.resolve(changes.push(change) > 0),
  };
  const deps = { store, clock: manualClock(), registry: { runnable: () => undefined } };

  await runJob(deps as unknown as RunDeps, 'j1', new AbortController().signal);

  const names = expect.stringContaining('a newer version of Portaria has started it') as string;
  expect(changes).toMatchObject([{ to: 'stopped', ending: { code: 'no-handler', names } }]);
});

it('a selection comes back as it was stored, whatever its form', () => {
  for (const each of [selection, { entries: { source: 'default' } }, { deliveries: { handler: 'ledger' } }])
    expect(selectionOf(selectionText(each))).toEqual(each);
});
