import { expect, test } from 'vitest';
import { stateDiagram } from './transition-table.ts';

test('given several moves between the same phases, the diagram draws one arrow', () => {
  const diagram = stateDiagram({
    initial: 'not-seen',
    transitions: [
      { from: 'not-seen', on: 'created', to: 'open' },
      { from: 'open', on: 'repeated', to: 'open' },
      { from: 'open', on: 'paid', to: 'closed' },
      { from: 'open', on: 'canceled', to: 'closed' },
    ],
  });
  expect(diagram).toBe(
    [
      'stateDiagram-v2',
      '  [*] --> not_seen',
      '  not_seen --> open: created',
      '  open --> open: repeated',
      '  open --> closed: paid, canceled',
    ].join('\n'),
  );
});
