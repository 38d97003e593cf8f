import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from '../../test/support/setting-problems.ts';
import { loadConfig } from './load-config.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const url = 'https://pager.example/hook';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('without settings nothing is expected and no alert is sent', () => {
  expect(loadConfig({}, '/srv')).toMatchObject({ expected: [], alert: null });
});

test('URL and secret are read, the secret also from a file', () => {
  expect(loadConfig({ PORTARIA_ALERT_URL: url, PORTARIA_ALERT_SECRET: secret }, '/srv').alert).toEqual({
    url,
    secret,
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'secret'), `${secret}\n`);
  const fromFile = { PORTARIA_ALERT_URL: url, PORTARIA_ALERT_SECRET_FILE: 'secret' };
  expect(loadConfig(fromFile, folder).alert).toEqual({ url, secret });
});

test('URL and secret are required together', () => {
  const remedy = /^is missing; set the URL and the secret together/;
  expect(problemsOf({ PORTARIA_ALERT_URL: url })['PORTARIA_ALERT_SECRET']).toMatch(remedy);
  expect(problemsOf({ PORTARIA_ALERT_SECRET: secret })['PORTARIA_ALERT_URL']).toMatch(remedy);
});

test('a URL with a user name or a password is rejected, without quoting it', () => {
  for (const login of ['us:pw', 'us', ':pw']) {
    const problems = problemsOf({
      PORTARIA_ALERT_URL: `https://${login}@pager.example/hook`,
      PORTARIA_ALERT_SECRET: secret,
    });
    expect(problems).toEqual({
      PORTARIA_ALERT_URL: expect.stringContaining('must not contain a user name or password'),
    });
    expect(JSON.stringify(problems)).not.toContain('pw');
  }
});

test('mistakes in expectations and alerts are reported together, without the secret', () => {
  const problems = problemsOf({
    PORTARIA_EXPECT: 'charge.created=soon',
    PORTARIA_ALERT_URL: 'http://127.0.0.1:8080/webhooks',
    PORTARIA_ALERT_SECRET: 'whsec_not base64!',
  });
  expect(problems).toEqual({
    PORTARIA_EXPECT: expect.stringContaining('has no valid duration'),
    PORTARIA_ALERT_URL: expect.stringContaining("is this receiver's own public port"),
    PORTARIA_ALERT_SECRET: expect.stringContaining('must be base64'),
  });
  expect(JSON.stringify(problems)).not.toContain('not base64!');
});
