/** What a comparison of rehearsals says of runs that differ. */
import { expect, test } from 'vitest';
import { compare } from './findings.ts';
import type { Rehearsed, RunResult } from './protocol.ts';

/** A rehearsal of one handler: a run for each event. */
function rehearsed(...given: readonly Partial<RunResult>[]): Rehearsed {
  const runs = given.map((run, at): [string, RunResult] => {
    const event = `evt_${String(at)}`;
    const rest = { reason: null, requests: [], effects: [] };
    return [event, { event, handler: 'erp', outcome: 'succeeds', ...rest, ...run }];
  });
  const end = { events: runs.length, pruned: 0, unread: 0, personalNames: [] };
  return { runs: new Map(runs), states: new Map(), ...end };
}

const fails = { outcome: 'fails', reason: 'Error: down' } as const;
const posts = (body: unknown, url = 'http://erp.test/') => ({
  requests: [{ method: 'POST', url, body: JSON.stringify(body) }],
});

function found(old: Rehearsed, again: Rehearsed, next: Rehearsed) {
  return compare(old, again, next).map(({ finding, count, attention, what }) => [
    finding,
    count,
    attention,
    what,
  ]);
}

test('what differs between two runs of an event is noise of that event alone', () => {
  const old = rehearsed(posts({ at: 1 }), posts({ at: 1 }));
  const again = rehearsed(posts({ at: 2 }), posts({ at: 1 }));

  expect(found(old, again, rehearsed(posts({ at: 3 }), posts({ at: 3 })))).toEqual([
    ['noise', 1, false, 'body.at'],
    ['equal', 1, false, ''],
    ['now sends another request', 1, true, 'body.at: 1 → 3'],
  ]);
});

test('a failure is no noise where an old run did not fail', () => {
  expect(found(rehearsed({}), rehearsed(fails), rehearsed(fails))).toEqual([
    ['noise', 1, false, 'outcome'],
    ['now fails', 1, true, 'Error: down'],
  ]);
});

test('what fails as before needs attention', () => {
  const old = rehearsed(fails);

  expect(found(old, old, rehearsed(fails))).toEqual([['fails as before', 1, true, 'Error: down']]);
});

test('the query of an address names what differs, and shows no value', () => {
  const old = rehearsed(posts({}, 'http://erp.test/v1?page=1&Ana%20Silva=a&same=1'));
  const next = rehearsed(posts({}, 'http://erp.test/v1?page=2&Ana%20Silva=b&same=1&more=1'));

  expect(found(old, old, next).map(([, , , what]) => what)).toEqual([
    'request: POST http://erp.test/v1?page=***&***=*** → POST http://erp.test/v1?page=***&***=***&more=***',
  ]);
});

test('a credential is masked on both sides, and the words of a row stay', () => {
  const old = rehearsed(posts({ senha: 'abc', note: 'senha: abc' }));
  const next = rehearsed(posts({ senha: 'abd', note: 'senha: abd' }));

  expect(found(old, old, next).map(([, , , what]) => what)).toEqual([
    'body.senha: *** → ***',
    'body.note: "senha: <secret>" → "senha: <secret>"',
  ]);
});
