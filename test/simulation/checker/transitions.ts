/** What stories should reach: what becomes of webhooks and calls, ends of processes, and what operators do. */
export const transitions = [
  ...['accepted', 'stale', 'duplicate', 'rejected'].map((status) => `webhook ${status}`),
  ...['not-verified', 'store-busy', 'store-full'].map((code) => `webhook refused: ${code}`),
  ...['new', 'stale', 'ambiguous'].map((verdict) => `verdict ${verdict}`),
  ...['return', 'throw', 'discard', 'give-up', 'later', 'timed-out', 'stopped'].map((how) => `call ${how}`),
  ...['the process dies', 'start after a death', 'restart'],
  ...[
    'retry',
    'retry beside',
    'discard',
    'discard beside',
    'pause',
    'pause beside',
    'resume',
    'resume beside',
    'release',
  ],
  ...['retry', 'discard', 'replay'].flatMap((action) => [
    `plan of a ${action}`,
    `start of a ${action}`,
    `${action} finished`,
  ]),
  ...['retry stopped', 'replay stopped', 'retry cancelled', 'replay cancelled'],
  ...['hold', 'end of a hold', 'erasure', 'erasure: erasure-refused', 'an event is pruned'],
];
