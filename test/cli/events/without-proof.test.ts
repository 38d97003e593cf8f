/** Webhooks that were taken without proof: their headers may hold a secret of the sender, and a release proves nothing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPortaria } from '../../../src/compose.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { cliEnvironment } from '../kit/cli-environment.ts';

async function observed(body: string) {
  const cli = cliEnvironment();
  const env = { ...cli.env, PORTARIA_VERIFY_OBSERVE: 'true', PORTARIA_LOG_LEVEL: 'silent' };
  const portaria = await createPortaria({ config: loadConfig(env, cli.folder), handlers: [] });
  const headers = {
    ...{ authorization: 'Bearer of-the-sender', 'user-agent': 'sender/1' },
    ...{ 'x-api-key': 'of-the-sender', 'x-signature': 'v1=abc' },
  };
  const response = await portaria.app.request('/webhooks', { method: 'POST', body, headers });
  const { id } = (await response.json()) as { id: string };
  await portaria.stop();
  return { cli, id };
}

test.each([
  ['events show', '{"type":"charge.updated","data":{"id":1,"type":"fee","status":"paid"}}'],
  ['quarantine show', 'no JSON'],
])(
  '%s masks them until they are unmasked, but not those that are stored of every webhook',
  async (command, body) => {
    // Given
    const { cli, id } = await observed(body);

    // When
    const masked = await cli.run(...command.split(' '), id);
    const unmasked = await cli.run(...command.split(' '), id, '--unmask');

    // Then
    expect(masked.out).toContain('"authorization": "***"');
    expect(masked.out).toContain('"user-agent": "sender/1"');
    expect(unmasked.out).toContain('"authorization": "Bearer of-the-sender"');
  },
);

test('an export has their signatures, and masks what else may open something', async () => {
  const { cli } = await observed('{"type":"charge.updated","data":{"id":1,"type":"fee","status":"paid"}}');
  const [line = ''] = (await cli.run('events', 'export')).out.split('\n');
  expect((JSON.parse(line) as { headers: object }).headers).toMatchObject({
    ...{ authorization: '***', 'x-api-key': '***', 'x-signature': 'v1=abc', 'user-agent': 'sender/1' },
  });
});

test('trying proofs on them is recorded, because it reads what is masked', async () => {
  const { cli, id } = await observed('no JSON');
  writeFileSync(join(cli.folder, 'secret'), 'a secret of the sender');
  await cli.run('verify', 'try', '--quarantine', id, '--secret-file', join(cli.folder, 'secret'));
  const { rows } = await cli.run('audit', 'list', '--json');
  expect(rows).toMatchObject([{ action: 'showQuarantineEntry', unmasked: true, subject: { id } }]);
});

test('what was taken without proof is flagged after its release, too', async () => {
  const { cli, id } = await observed('{"type":"charge.updated","data":{"id":"no number"}}');
  expect(await cli.run('quarantine', 'release', id, '--force')).toMatchObject({ code: 0 });
  const { rows } = await cli.run('events', 'list', '--flag', 'unverified', '--json');
  expect(rows).toMatchObject([{ flags: ['unrecognized', 'unverified', 'released'] }]);
});
