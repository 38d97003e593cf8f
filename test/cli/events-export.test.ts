import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliWorld, company, violation } from './cli-world.ts';

describe('events export and import', () => {
  test('what was exported here ends the same elsewhere, bytes, times and message ids', async () => {
    const there = cliWorld();
    await there.seed(['{ "data": {"status":"paid","id":1}, "type":"traffic-violation.created" }'], {
      receivedAt: 1_790_000_000_123,
      messageId: 'msg_1',
    });
    await there.seed([company(12, '2026-11-02T00:00:00Z'), company(12, '2026-11-01T00:00:00Z')], {
      source: 'fleet',
    });
    await there.run('events', 'export', '--file', 'all.ndjson');

    const here = cliWorld();
    await here.seed([]);
    const { code, err } = await here.run('events', 'import', join(there.folder, 'all.ndjson'));
    expect(code).toBe(0);
    expect(err).toBe('3 lines imported: 2 accepted, 1 stale.\n');

    const [before, after] = await Promise.all(
      [there, here].map(async (world) => {
        const { rows } = await world.run('events', 'list', '--json');
        return rows.map(({ id: _, ...row }) => row);
      }),
    );
    expect(after).toEqual(before);
    const bytes = (world: typeof here) => world.withStore(async (store) => (await store.event('1'))?.body);
    expect(await bytes(here)).toEqual(await bytes(there));
  });

  /** An unversioned subject that returns to its first content: flagged ambiguous when it arrived. */
  async function exportedReturn() {
    const there = cliWorld();
    for (const [at, status] of ['pending', 'paid', 'pending'].entries())
      await there.seed([violation(1, status)], { receivedAt: 1_790_000_000_000 + at });
    await there.seed([company(12, '2026-11-02T00:00:00Z')], { messageId: 'msg_1' });
    await there.run('events', 'export', '--file', 'all.ndjson');
    return join(there.folder, 'all.ndjson');
  }

  test('a message id counts elsewhere as it counted here, and not at all when the export does not say', async () => {
    const there = cliWorld();
    await there.seed([violation(1)], { messageId: 'msg_1' });
    await there.seed([violation(2)], { messageId: 'msg_2', messageIdTrusted: false });
    await there.run('events', 'export', '--file', 'all.ndjson');
    const text = readFileSync(join(there.folder, 'all.ndjson'), 'utf8');
    const older = text.replaceAll(/"message_id_trusted":(true|false),/g, '');
    expect(older).not.toBe(text);

    for (const [input, trusted] of [
      [text, [true, false]],
      [older, [false, false]],
    ] as const) {
      const here = cliWorld();
      await here.begin(['events', 'import', '-'], { input }).ended;
      const { rows } = await here.run('events', 'list', '--json');
      expect(rows.map((row) => [row['message_id'], row['message_id_trusted']])).toEqual([
        ['msg_2', trusted[1]],
        ['msg_1', trusted[0]],
      ]);
    }
  });

  test('a second import changes nothing, also of subjects without versions', async () => {
    const file = await exportedReturn();
    const world = cliWorld();
    const first = await world.run('events', 'import', file, '--json');
    expect(first.rows.map(({ outcome, flags }) => [outcome, flags])).toEqual([
      ['accepted', []],
      ['accepted', []],
      ['accepted', ['ambiguous']],
      ['accepted', []],
    ]);
    expect(first.err).toBe('4 lines imported: 4 accepted; 1 ambiguous.\n');
    const before = (await world.run('events', 'list', '--json')).rows;

    const { rows, code, err } = await world.run('events', 'import', file, '--json');

    expect(code).toBe(0);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate']);
    expect(rows.map(({ id }) => id)).toEqual(first.rows.map(({ id }) => id));
    expect(err).toBe('4 lines imported: 4 duplicate.\n');
    expect((await world.run('events', 'list', '--json')).rows).toEqual(before);
  });

  test('an import that stopped half way ends the same when it is run again', async () => {
    const lines = readFileSync(await exportedReturn(), 'utf8').split('\n');
    const world = cliWorld();
    await world.begin(['events', 'import', '-'], { input: lines.slice(0, 2).join('\n') }).ended;
    const { out, err } = await world.begin(['events', 'import', '-'], { input: lines.join('\n') }).ended;
    expect(out).toMatch(/^line 3 accepted as .*: ambiguous\n$/);
    expect(err).toBe('4 lines imported: 2 duplicate, 2 accepted; 1 ambiguous.\n');
    const { rows } = await world.run('events', 'list', '--json');
    expect(rows.map(({ repeats }) => repeats)).toEqual([0, 0, 0, 0]);
  });

  test('makes the database where there is none, but not for a file that cannot be read', async () => {
    const world = cliWorld();
    expect(await world.run('events', 'import', 'nowhere.ndjson')).toMatchObject({ code: 3 });
    expect(existsSync(world.database)).toBe(false);
    const input = JSON.stringify(violation(1));
    expect(await world.begin(['events', 'import', '-'], { input }).ended).toMatchObject({ code: 0 });
    expect((await world.run('events', 'list', '--json')).rows).toHaveLength(1);
  });

  test('filters choose what is exported; standard output is the default', async () => {
    const world = cliWorld();
    await world.seed([violation(1), company(1, '2026-11-02T00:00:00Z')]);
    const { rows, err } = await world.run('events', 'export', '--kind', 'company.*');
    expect(rows).toEqual([
      {
        id: expect.any(String) as string,
        kind: 'company.updated',
        source: 'default',
        received_at: '2026-11-21T04:00:00.000Z',
        headers: { 'content-type': 'application/json' },
        message_id: null,
        message_id_trusted: false,
        body: Buffer.from(JSON.stringify(company(1, '2026-11-02T00:00:00Z'))).toString('base64'),
      },
    ]);
    expect(err).toBe('1 events exported.\n');
  });

  test('a file that exists is replaced only by force, and is its owner’s alone', async () => {
    const world = cliWorld();
    await world.seed([violation(1)]);
    const file = join(world.folder, 'out.ndjson');
    await world.run('events', 'export', '--file', 'out.ndjson');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'precious');
    expect(await world.run('events', 'export', '--file', 'out.ndjson')).toMatchObject({ code: 2 });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await world.run('events', 'export', '--file', 'out.ndjson', '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('"body"');
  });

  test('what it replaces gives it no rights, and programs that have that open see nothing of it', async () => {
    const world = cliWorld();
    await world.seed([violation(1)]);
    const file = join(world.folder, 'out.ndjson');
    writeFileSync(file, 'precious');
    chmodSync(file, 0o666);
    const link = join(world.folder, 'link.ndjson');
    symlinkSync(file, link);
    const opened = openSync(file, 'r');

    const { code, err } = await world.run('events', 'export', '--file', 'link.ndjson', '--force');

    expect([code, err]).toEqual([0, '1 events exported.\n']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('"body"');
    expect(readFileSync(opened, 'utf8')).toBe('precious');
    closeSync(opened);
    expect(readdirSync(world.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test.skipIf(!existsSync('/dev/full'))(
    'a file that cannot be written to its end leaves the old one, and says so',
    async () => {
      const world = cliWorld();
      await world.seed([violation(1)]);

      // Linux's device that is always full.
      const { code, err } = await world.run('events', 'export', '--file', '/dev/full', '--force');

      expect(code).toBe(2);
      expect(err).toMatch(/^error: \/dev\/full cannot be written\n  because: .*ENOSPC/);
    },
  );

  describe.each([['no --force'], ['--force', '--force']])('given %s', (_, ...force) => {
    const refusals: [string, string, RegExp][] = [
      [
        'a link to nothing',
        'dangling',
        /^error: dangling is a link to a file that does not exist; make that file, or remove the link\n/,
      ],
      ['a link to itself', 'loop', /^error: loop cannot be written\n  because: .*ELOOP/],
      ['a folder', 'folder', /^error: folder is a folder; name a file in it\n/],
    ];
    test.each(refusals)('%s is refused, and the error is true', async (_, file, message) => {
      const world = cliWorld();
      await world.seed([violation(1)]);
      symlinkSync('nowhere', join(world.folder, 'dangling'));
      symlinkSync('loop', join(world.folder, 'loop'));
      mkdirSync(join(world.folder, 'folder'));

      const { code, err } = await world.run('events', 'export', '--file', file, ...force);

      expect([code, err]).toEqual([2, expect.stringMatching(message)]);
      expect(existsSync(join(world.folder, 'nowhere'))).toBe(false);
    });
  });

  test('without --force, the error says what it does: it replaces a file, and writes to a device', async () => {
    const world = cliWorld();
    await world.seed([violation(1)]);
    writeFileSync(join(world.folder, 'file'), 'precious');
    symlinkSync('/dev/null', join(world.folder, 'device'));

    const errors = ['file', 'device', '/dev/null'].map(async (file) => {
      const { code, err } = await world.run('events', 'export', '--file', file);
      return [code, err.split('\n')[0]];
    });

    expect(await Promise.all(errors)).toEqual([
      [2, 'error: file exists; --force replaces it'],
      [2, 'error: device is a device or a pipe; --force writes to it'],
      [2, 'error: /dev/null is a device or a pipe; --force writes to it'],
    ]);
  });

  test('plain envelopes can be imported from standard input; bad lines are told and the rest goes on', async () => {
    const world = cliWorld();
    await world.seed([]);
    const input = [
      JSON.stringify(violation(1)),
      '',
      'not json',
      '{"type":"charge.created","data":{"id":"x"}}',
      '{"body":"e30=","source":"default"}',
      JSON.stringify({ type: 'never.heard.of', data: { id: 1 } }),
    ].join('\n');
    const { code, rows, err } = await world.begin(['events', 'import', '-', '--source', 'fleet', '--json'], {
      input,
    }).ended;
    expect(code).toBe(5);
    expect(rows.map(({ line, outcome }) => [line, outcome])).toEqual([
      [1, 'accepted'],
      [3, 'unreadable'],
      [4, 'quarantined'],
      [5, 'unreadable'],
      [6, 'unrecognized'],
    ]);
    expect(err).toContain('5 lines imported');
    expect((await world.run('events', 'list', '--json', '--source', 'fleet')).rows).toHaveLength(2);
    const { out } = await world.begin(['events', 'import', '-'], { input }).ended;
    expect(out).toContain('line 3 unreadable: is not a JSON object');
  });

  test('handlers get what is imported, unless told otherwise', async () => {
    const world = cliWorld({ log: "export default defineHandler({ name: 'log', on: '*', handle() {} });" });
    await world.seed([]);
    await world.begin(['events', 'import', '-'], { input: JSON.stringify(violation(1)) }).ended;
    await world.begin(['events', 'import', '-', '--no-handlers'], { input: JSON.stringify(violation(2)) })
      .ended;
    const { rows } = await world.run('deliveries', 'list', '--json');
    expect(rows).toMatchObject([{ subject: 'traffic-violation:1', status: 'pending' }]);
  });

  test('many lines keep their order, though they share commits', async () => {
    const world = cliWorld();
    await world.seed([]);
    const envelopes = Array.from({ length: 257 }, (_, index) => violation(7, `status ${String(index)}`));
    const input = envelopes.map((envelope) => JSON.stringify(envelope)).join('\n');
    await world.begin(['events', 'import', '-'], { input }).ended;
    const bodies = await world.withStore((store) =>
      Promise.all(envelopes.map(async (_, index) => (await store.event(String(index + 1)))?.body)),
    );
    expect(bodies.map((body) => Buffer.from(body ?? '').toString())).toEqual(input.split('\n'));
  });

  test('a file that is not there is not found', async () => {
    const world = cliWorld();
    await world.seed([]);
    expect(await world.run('events', 'import', 'nowhere.ndjson')).toMatchObject({ code: 3 });
  });
});
