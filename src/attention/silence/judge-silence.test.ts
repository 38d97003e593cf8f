import { expect, test } from 'vitest';
import { judgeSilence } from './judge-silence.ts';

const at = (time: string) => Date.parse(`2026-03-10T${time}:00Z`);
const silence = { source: 'default', kind: null, lastReceivedAt: at('12:00'), expected: 83.4 };
const judged = (finding: Parameters<typeof judgeSilence>[1]) => judgeSilence(silence, finding, at('15:00'));

test('a change that no webhook reported means missed webhooks', () => {
  expect(judged({ found: 'change', subject: 'company:12', at: at('14:02') })).toMatchObject({
    cause: 'missed-webhooks',
    problem: {
      problem: 'missed-webhooks',
      of: 'default',
      since: at('12:00'),
      summary:
        "the provider's API shows a change of company:12 at 2026-03-10 14:02:00Z (58 min) that no webhook reported: no event of source default since 2026-03-10 12:00:00Z (3 h)",
      remedy: expect.stringContaining('list of endpoints'),
    },
  });
});

test('no change means quiet', () => {
  expect(judged({ found: 'none', records: 140 })).toMatchObject({
    cause: 'quiet',
    problem: {
      summary:
        "no event of source default since 2026-03-10 12:00:00Z (3 h); usually 83 or more arrive in this time, but the provider's API shows no change since either (140 records)",
    },
  });
});

test('without an answer it is a silence, and says why the API could not tell', () => {
  expect(judged(null).problem.summary).toBe(
    'no event of source default since 2026-03-10 12:00:00Z (3 h); usually 83 or more arrive in this time',
  );
  const { cause, problem } = judged({ found: 'unknown', reason: 'no response within 30 s' });
  expect(cause).toBe('silence');
  expect(problem.summary).toMatch(/; the provider's API could not tell why: no response within 30 s$/);
});

test('a silent kind is named with its source', () => {
  const { problem } = judgeSilence({ ...silence, kind: 'charge.created' }, null, at('15:00'));
  expect(problem).toMatchObject({
    of: 'default/charge.created',
    summary: expect.stringMatching(/^no event of kind charge\.created of source default since /),
  });
});
