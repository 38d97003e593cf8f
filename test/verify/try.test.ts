import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliEnvironment } from '../cli/kit/cli-environment.ts';

const SECRET = 'a secret that nobody may print';
const BODY = '{"type":"charge.created",\r\n"data":{"id":1}}\n';

type Content = string | readonly [content: string, algorithm: string];

function signature(given: Content): string {
  const [content, algorithm] = typeof given === 'string' ? [given, 'sha256'] : given;
  return createHmac(algorithm, SECRET).update(content).digest('hex');
}

/** A command line with the body and the secret as files. */
function cliWithFiles() {
  const cli = cliEnvironment();
  writeFileSync(join(cli.folder, 'body'), BODY);
  writeFileSync(join(cli.folder, 'secret'), `${SECRET}\n`);
  const trying = (headers: readonly string[], ...more: readonly string[]) =>
    cli.run(
      ...['verify', 'try', '--secret-file', join(cli.folder, 'secret')],
      ...headers.flatMap((header) => ['--header', header]),
      ...(more.length > 0 ? more : ['--body', join(cli.folder, 'body')]),
    );
  return { ...cli, trying };
}

test('prints what fits, as JSON for PORTARIA_SOURCES, and never the secret', async () => {
  const { trying } = cliWithFiles();
  const now = String(Math.floor(Date.parse('2026-11-21T04:00:00Z') / 1000));
  const found = [
    await trying([`x-signature: ${signature(BODY)}`]),
    await trying([`X-Sig: v2=${signature([BODY, 'sha1'])}`, 'content-type: application/json']),
    await trying([`x-sig: ts=${now},s=${signature(`${now}:${BODY}`)}`]),
    await trying([`stripe-signature: t=${now},v1=${signature(`${now}.${BODY}`)}`]),
  ];
  expect(found.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(found.map(({ out }) => out.split('\n')[1]?.trim())).toEqual([
    '"verify": {"scheme":"hmac","header":"x-signature"}',
    '"verify": {"scheme":"signed","algorithm":"sha1","encoding":"hex","header":"x-sig","signs":"{body}","reads":"v2={signature}"}',
    '"verify": {"scheme":"signed","algorithm":"sha256","encoding":"hex","header":"x-sig","signs":"{timestamp}:{body}","reads":"ts={timestamp},s={signature}"}',
    '"verify": "stripe"',
  ]);
  for (const { out, err } of found) expect(out + err).not.toContain(SECRET);
});

test('says what comes near', async () => {
  const { trying } = cliWithFiles();
  const old = String(Math.floor(Date.parse('2026-11-21T01:00:00Z') / 1000));
  const near = [
    await trying([`x-signature: ${signature(BODY.slice(0, -1))}`]),
    await trying([`x-signature: ${signature(BODY.replaceAll('\r\n', '\n'))}`]),
    await trying([
      `x-slack-request-timestamp: ${old}`,
      `x-slack-signature: v0=${signature(`v0:${old}:${BODY}`)}`,
    ]),
    await trying([`x-hash: ${createHash('sha256').update(BODY).digest('hex')}`]),
  ];
  expect(near.map(({ code }) => code)).toEqual([5, 5, 5, 5]);
  expect(near.map(({ out }) => out.split('\n')[0])).toEqual([
    'It comes near. It fits the body without the last line break: something between the sender and here changed the body.',
    'It comes near. It fits the body with line breaks of one character: something between the sender and here changed the body.',
    expect.stringMatching(
      /^It comes near\. The proof is right, but not its time\. .* too old: by 10800 seconds/,
    ),
    'It comes near. x-hash has the sha256 of the body, without a secret: anybody can make it.',
  ]);
});

test('says that nothing fits, and what is missing', async () => {
  const cli = cliWithFiles();
  const { trying } = cli;
  expect(await trying([`x-signature: ${signature('other')}`])).toMatchObject({
    code: 1,
    out: expect.stringContaining('Nothing fits'),
  });
  await cli.seed([{ type: 'charge.created', data: {} }]);
  expect(await trying([], '--quarantine', 'q1')).toMatchObject({
    code: 1,
    out: expect.stringContaining('A header that proves a sender is stored only while its source is observed'),
  });
  expect(await trying([], '--quarantine', 'q9')).toMatchObject({ code: 3 });
  expect(await trying([], '--event', '1', '--body', 'x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Give one of --body, --event and --quarantine'),
  });
});
