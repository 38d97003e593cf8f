import { planOf, webhook, type Visit } from './console-browser.ts';
import { observedProblems } from './observed-problems.ts';

/** Pages that no link leads to: what a mistyped address or form is answered with, and plans without a form. */
export const unlinkedPages = [
  '/nowhere',
  '/events/zzzzzz-99',
  '/jobs/j99',
  '/subjects/company:99',
  '/events?since=yesterday',
  '/events?where=status+is+7',
  '/events?where=data.status+%3D+paid',
  '/events?text=Serra',
  '/plan?action=replay&handlers=billing',
  '/plan?action=replay&since=yesterday',
  '/plan?action=release',
  '/plan?action=discard&reason=teste',
  '/plan?action=retry&status=pending',
  '/plan?action=nothing',
];

/** Fills a store with something for every page. */
export async function fillConsole({ setup, open, send }: Visit): Promise<void> {
  // Errors of handlers are in the language of their author.
  setup.failing = 'caixa fechado';
  for (const [at, status] of ['pending', 'paid', 'refunded'].entries())
    await setup.receive(
      webhook('charge.updated', { id: 7, status, updated_at: `2026-11-1${String(at)}T10:00:00Z` }),
    );
  await setup.receive(
    webhook('charge.updated', { id: 7, status: 'paid', updated_at: '2026-11-09T10:00:00Z' }),
  );
  for (let repeat = 0; repeat < 2; repeat++) await setup.receive(webhook('company.created', { id: 12 }));
  await setup.receive({ type: 'freight.booked', data: { id: 3, to: 'Santos' } });
  await setup.receive(webhook('company.updated', { id: 12 }), { messageId: 'm1' });
  await setup.receive(webhook('company.updated', { id: 13 }), { messageId: 'm1' });
  for (const body of ['', '{"type":', '[]', '{"type":"","data":{}}', '{"type":"charge.updated","data":{}}'])
    await setup.receive(body);
  await setup.settle();
  const planned = planOf(await open('/plan?action=retry'));
  await send('/plan/start', { plan: planned, staged: 'true', stop_at: '20' });
  await setup.runJobs();
  await send('/handlers/pause', { handler: 'billing', reason: 'fechamento', until: '1h', back: '/handlers' });
  await setup.receive(webhook('charge.created', { id: 8 }));
  const difference = { fields: ['status', 'due_date'], since: setup.clock.now(), quarantined: null };
  await setup.store.recordMonitoring({
    ...{ record: 'look', source: 'default', family: 'charge', at: setup.clock.now(), wholeAt: 0, equal: 8 },
    differing: { behind: 1, missed: 2 },
    differences: [
      { ...difference, id: '7', outcome: 'behind' },
      { ...difference, id: '99', outcome: 'missed', fields: [], quarantined: 'q1' },
    ],
  });
  setup.observation = { problems: observedProblems(setup.clock.now()), quiet: [] };
}
