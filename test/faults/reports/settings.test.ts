/** Reports about settings: what a start makes of them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { PortariaError } from '../../../src/kernel/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { portaria, serve } from '../../support/running-portaria.ts';
import { charge } from '../../support/webhooks/envelopes.ts';
import { createWorkspace, recording } from '../../support/workspace.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest } from '../kit/programs/receivers.ts';
import { report } from './report.ts';

/** The problems of a configuration, each as a start prints it. */
function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    loadConfig(env, createWorkspace().folder);
    return [];
  } catch (error) {
    if (!PortariaError.is(error)) throw error;
    return error.problems.map(({ where, message }) => `${where}: ${message}`);
  }
}

report('a Service of Kubernetes called portaria', 'starts, and names its variables once', async () => {
  const links = {
    PORTARIA_PORT: 'tcp://10.96.12.34:8080',
    PORTARIA_PORT_8080_TCP: 'tcp://10.96.12.34:8080',
    PORTARIA_PORT_8080_TCP_ADDR: '10.96.12.34',
    PORTARIA_PORT_8080_TCP_PORT: '8080',
    PORTARIA_PORT_8080_TCP_PROTO: 'tcp',
    PORTARIA_SERVICE_HOST: '10.96.12.34',
    PORTARIA_SERVICE_PORT: '8080',
    PORTARIA_SERVICE_PORT_HTTP: '8080',
    // A second Service, called portaria-ops.
    PORTARIA_OPS_PORT: 'tcp://10.96.12.35:9090',
    PORTARIA_OPS_SERVICE_HOST: '10.96.12.35',
  };
  const { port, ops, warnings } = loadConfig({ ...links, PORTARIA_HOSTS: '::' }, createWorkspace().folder);
  expect({ port, opsPort: ops.port }).toEqual({ port: 8080, opsPort: 9090 });
  expect(warnings).toEqual([
    expect.stringContaining('PORTARIA_HOSTS is not a setting'),
    `ignored, because Kubernetes sets them for a Service: ${Object.keys(links).sort().join(', ')}; set enableServiceLinks: false in the pod, or give the Service another name`,
  ]);
  const { code, err } = await portaria(['stats'], { ...links, PORTARIA_DATABASE: 'none.db' });
  expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('none.db') as string });
});

report('addresses with ports that fetch does not call', 'refuses them where they are set', async () => {
  const blocked = 'must not have a port that `fetch` and browsers refuse to call, such as 6000 or 6667';
  expect(
    problemsOf({
      PORTARIA_PORT: '6000',
      PORTARIA_OPS_PORT: '10080',
      PORTARIA_FORWARD_URL: 'http://127.0.0.1:6667/hook',
      PORTARIA_API_URL: 'https://api.example:6566',
      PORTARIA_API_KEY: 'k'.repeat(32),
      PORTARIA_ALERT_URL: 'http://alerts.example:22',
      PORTARIA_ALERT_SECRET: `whsec_${Buffer.from('0123456789abcdefghij').toString('base64')}`,
    }).map((problem) => problem.split('; got ')[0]),
  ).toEqual(
    [
      'PORTARIA_PORT',
      'PORTARIA_FORWARD_URL',
      'PORTARIA_API_URL',
      'PORTARIA_OPS_PORT',
      'PORTARIA_ALERT_URL',
    ].map((name) => `${name}: ${blocked}`),
  );
  for (const args of [
    ['send', 'charge.created', '--url', 'http://127.0.0.1:6000/webhooks'],
    ['replay', '--to', 'http://127.0.0.1:6000/webhooks'],
    ['provider', '--port', '6000'],
  ])
    expect(await portaria(args, {})).toMatchObject({
      code: 2,
      err: expect.stringContaining(blocked) as string,
    });
});

report('secrets in the quotes that docker --env-file keeps', 'names them at the start', async () => {
  const { folder } = createWorkspace();
  const file = join(folder, 'secrets');
  writeFileSync(file, `"${'s'.repeat(4)}ecret-of-the-file"\n`);
  const quoted = 'is in quotes, which are part of the value, as only a shell removes them; leave them out';
  for (const [env, where] of [
    [{ PORTARIA_SECRETS: '"0123456789abcdef0123456789abcdef"' }, 'PORTARIA_SECRETS:'],
    [{ PORTARIA_SECRETS: "one-secret-of-many,'0123456789abcdef'" }, 'PORTARIA_SECRETS: secret 2'],
    [{ PORTARIA_SECRETS: '', PORTARIA_SECRETS_FILE: file }, 'PORTARIA_SECRETS_FILE: secret 1'],
    [{ PORTARIA_OPS_TOKEN: "'0123456789abcdef'" }, 'PORTARIA_OPS_TOKEN:'],
    [{ PORTARIA_DATABASE: '"./data/portaria.db"' }, 'PORTARIA_DATABASE:'],
    [{ PORTARIA_VERIFY_HEADER: "'x-token'" }, 'PORTARIA_VERIFY_HEADER:'],
    [
      { PORTARIA_SOURCES: JSON.stringify({ a: { verify: 'hmac', secrets: ['"0123456789abcdef"'] } }) },
      'PORTARIA_SOURCES.a.secrets: secret 1',
    ],
  ] as const)
    expect(problemsOf({ PORTARIA_VERIFY: 'hmac', PORTARIA_SECRETS: 'x', ...env })).toContain(
      `${where} ${quoted}`,
    );
});

report(
  'NODE_OPTIONS=--disallow-code-generation-from-strings',
  'runs on both databases, with a handler and commands, and says that SQLite is slower',
  async (context) => {
    need(context, 'postgres');
    const env = { NODE_OPTIONS: '--disallow-code-generation-from-strings' };
    const file = createWorkspace().database;
    for (const database of [file, await createDatabase(await postgresOfTest())]) {
      const workspace = createWorkspace();
      workspace.writeHandler(
        'records.ts',
        `${recording(workspace)}
        export default defineHandler({ name: 'records', on: 'charge.*', handle: ({ data }) => record('charge ' + data.id) });`,
      );
      const settings = { ...env, PORTARIA_DATABASE: database, PORTARIA_HANDLERS: workspace.handlers };
      const running = await serve(settings);
      expect(await running.post(charge(1, 1))).toMatchObject({ status: 202 });
      expect(await running.post({ type: 'charge.updated', data: { id: 'none' } })).toMatchObject({
        status: 422,
      });
      await eventually('the event is handled', () => workspace.recorded().includes('charge 1'));
      expect((await portaria(['events', 'list'], settings)).out).toContain('charge:1');
      expect((await portaria(['doctor'], settings)).out).toMatch(/integrity|database/);
      expect(running.written().includes('read more slowly')).toBe(database === file);
    }
  },
);
