import type { OperatorProblem, ProblemFacts } from '../../../src/attention/problem.ts';

/** A problem of each kind that the watch tells by facts. */
export function observedProblems(now: number): readonly OperatorProblem[] {
  // Nothing has come since: the overview leaves out what is over.
  const lastAt = now;
  const facts: readonly ProblemFacts[] = [
    {
      ...{ about: 'rejections', source: 'default', count: 12, usual: 0 },
      ...{ lastReason: 'mismatch', clockSeconds: null, secretsFrom: 'PORTARIA_SECRETS' },
    },
    { about: 'silence', source: 'default', kind: 'charge.updated', lastAt, expected: 9, unasked: null },
    {
      about: 'missed-webhooks',
      source: 'default',
      kind: null,
      lastAt,
      subject: 'company:12',
      changedAt: lastAt,
    },
    { about: 'overdue', pattern: 'user-login.*', lastAt: null, withinMs: 86_400_000 },
    { about: 'unknown-kinds', source: 'default', count: 2, names: ['freight.booked'] },
    {
      about: 'drift',
      source: 'default',
      family: 'charge',
      count: 3,
      outcomes: '2 missed, 1 behind',
      at: lastAt,
    },
    { about: 'reconcile-late', source: 'default', families: ['charge'] },
    { about: 'unregistered-handlers', handler: 'billing', pending: 1 },
    {
      about: 'observed',
      source: 'default',
      until: '2027-01-01T00:00Z',
      passed: [{ scheme: 'none', webhooks: 2 }],
    },
    { about: 'moved-server', move: { differs: 'timeline', known: 1, here: 2 } },
    { about: 'stalled', handler: 'billing', count: 2, lastAt },
    { about: 'backup-late', folder: '/backups', lastAt },
    { about: 'disk-low', freeBytes: 2 ** 30, share: 0.09 },
  ];
  return facts.map((each) => ({
    problem: each.about,
    of: null,
    since: lastAt,
    summary: 'told by its facts',
    remedy: 'told by its facts',
    facts: each,
  }));
}
