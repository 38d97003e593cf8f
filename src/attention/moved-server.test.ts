import { expect, test } from 'vitest';
import { findMovedServer } from './observe.ts';

test('a store on another server than the known one is a problem of the whole store, with both remedies', () => {
  const move = { differs: 'timeline', known: 1, here: 2 } as const;
  expect(findMovedServer(move)).toEqual([
    {
      problem: 'moved-server',
      of: null,
      since: null,
      summary:
        'the database was restored, moved or has failed over since it was last known: it is on timeline 2 instead of 1',
      remedy:
        'if acknowledged events may be lost, stop every process and run `portaria store renew-id`, because their ids would be given to other events; if none can be, run `portaria store renew-id --keep-id`',
      facts: { about: 'moved-server', move },
    },
  ]);
});

test.each([
  ['cluster', 'it is in another cluster'],
  ['database', 'it is another database of the cluster'],
  ['tables', 'its tables were created anew'],
] as const)('the summary says that the %s differs', (differs, difference) => {
  expect(findMovedServer({ differs })).toMatchObject([
    { summary: expect.stringMatching(new RegExp(`: ${difference}$`, 'u')) as string },
  ]);
});

test('a server that is the known one, or does not tell, is no problem', () => {
  expect(findMovedServer(null)).toEqual([]);
});
