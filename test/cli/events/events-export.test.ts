import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
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
import { cliEnvironment, company, violation } from '../kit/cli-environment.ts';

describe('events export and import', () => {
  test('an import gives the same bytes, times, sources and message ids', async () => {
    const source = cliEnvironment();
    await source.seed(['{ "data": {"status":"paid","id":1}, "type":"traffic-violation.created" }'], {
      receivedAt: 1_790_000_000_123,
      messageId: 'msg_1',
    });
    await source.seed([company(12, '2026-11-02T00:00:00Z'), company(12, '2026-11-01T00:00:00Z')], {
      source: 'fleet',
    });
    await source.run('events', 'export', '--file', 'all.ndjson');

    const target = cliEnvironment();
    await target.seed([]);
    const { code, err } = await target.run('events', 'import', join(source.folder, 'all.ndjson'));
    expect(code).toBe(0);
    expect(err).toBe('3 lines read: 2 accepted, 1 stale.\nNo handler got a delivery.\n');

    const [before, after] = await Promise.all(
      [source, target].map(async (cli) => {
        const { rows } = await cli.run('events', 'list', '--json');
        return rows.map(({ id: _, ...row }) => row);
      }),
    );
    expect(after).toEqual(before);
    const bytes = (cli: typeof target) => cli.withStore(async (store) => (await store.event('1'))?.body);
    expect(await bytes(target)).toEqual(await bytes(source));
  });

  /** Exports an unversioned subject that returns to its first content, which is flagged ambiguous. */
  async function exportWithReturn() {
    const source = cliEnvironment();
    for (const [at, status] of ['pending', 'paid', 'pending'].entries())
      await source.seed([violation(1, status)], { receivedAt: 1_790_000_000_000 + at });
    await source.seed([company(12, '2026-11-02T00:00:00Z')], { messageId: 'msg_1' });
    await source.run('events', 'export', '--file', 'all.ndjson');
    return join(source.folder, 'all.ndjson');
  }

  test('an import keeps whether a message id is trusted; an older export trusts none', async () => {
    const source = cliEnvironment();
    await source.seed([violation(1)], { messageId: 'msg_1' });
    await source.seed([violation(2)], { messageId: 'msg_2', messageIdTrusted: false });
    await source.run('events', 'export', '--file', 'all.ndjson');
    const text = readFileSync(join(source.folder, 'all.ndjson'), 'utf8');
    const older = text.replaceAll(/"message_id_trusted":(true|false),/g, '');
    expect(older).not.toBe(text);

    for (const [input, trusted] of [
      [text, [true, false]],
      [older, [false, false]],
    ] as const) {
      const target = cliEnvironment();
      await target.begin(['events', 'import', '-'], { input }).ended;
      const { rows } = await target.run('events', 'list', '--json');
      expect(rows.map((row) => [row['message_id'], row['message_id_trusted']])).toEqual([
        ['msg_2', trusted[1]],
        ['msg_1', trusted[0]],
      ]);
    }
  });

  test('a second import changes nothing, even for subjects without versions', async () => {
    const file = await exportWithReturn();
    const cli = cliEnvironment();
    const first = await cli.run('events', 'import', file, '--json');
    expect(first.rows.map(({ outcome, flags }) => [outcome, flags])).toEqual([
      ['accepted', []],
      ['accepted', []],
      ['accepted', ['ambiguous']],
      ['accepted', []],
    ]);
    expect(first.err).toBe('4 lines read: 4 accepted; 1 ambiguous.\nNo handler got a delivery.\n');
    const before = (await cli.run('events', 'list', '--json')).rows;

    const { rows, code, err } = await cli.run('events', 'import', file, '--json');

    expect(code).toBe(0);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate']);
    expect(rows.map(({ id }) => id)).toEqual(first.rows.map(({ id }) => id));
    expect(err).toBe('4 lines read: 4 duplicate.\n');
    expect((await cli.run('events', 'list', '--json')).rows).toEqual(before);
  });

  test('an interrupted import gives the same result when it is run again', async () => {
    const lines = readFileSync(await exportWithReturn(), 'utf8').split('\n');
    const cli = cliEnvironment();
    await cli.begin(['events', 'import', '-'], { input: lines.slice(0, 2).join('\n') }).ended;
    const { out, err } = await cli.begin(['events', 'import', '-'], { input: lines.join('\n') }).ended;
    expect(out).toMatch(/^line 3 accepted as .*: ambiguous\n$/);
    expect(err).toBe('4 lines read: 2 duplicate, 2 accepted; 1 ambiguous.\nNo handler got a delivery.\n');
    const { rows } = await cli.run('events', 'list', '--json');
    expect(rows.map(({ repeats }) => repeats)).toEqual([0, 0, 0, 0]);
  });

  test('creates a missing database, but not when the file cannot be read', async () => {
    const cli = cliEnvironment();
    expect(await cli.run('events', 'import', 'nowtarget.ndjson')).toMatchObject({ code: 3 });
    expect(existsSync(cli.database)).toBe(false);
    const input = JSON.stringify(violation(1));
    expect(await cli.begin(['events', 'import', '-'], { input }).ended).toMatchObject({ code: 0 });
    expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(1);
  });

  test('exports the events that match, to standard output by default', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1), company(1, '2026-11-02T00:00:00Z')]);
    const { rows, err } = await cli.run('events', 'export', '--kind', 'company.*');
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
    expect(err).toBe('1 event exported.\n');
  });

  test('replaces a file only with --force, and only its owner can open it', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    const file = join(cli.folder, 'out.ndjson');
    await cli.run('events', 'export', '--file', 'out.ndjson');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'precious');
    expect(await cli.run('events', 'export', '--file', 'out.ndjson')).toMatchObject({ code: 2 });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await cli.run('events', 'export', '--file', 'out.ndjson', '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('"body"');
  });

  test('a replacement takes no modes from the old file, and readers of the old file see nothing of it', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    const file = join(cli.folder, 'out.ndjson');
    writeFileSync(file, 'precious');
    chmodSync(file, 0o666);
    const link = join(cli.folder, 'link.ndjson');
    symlinkSync(file, link);
    const opened = openSync(file, 'r');

    const { code, err } = await cli.run('events', 'export', '--file', 'link.ndjson', '--force');

    expect([code, err]).toEqual([0, '1 event exported.\n']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('"body"');
    expect(readFileSync(opened, 'utf8')).toBe('precious');
    closeSync(opened);
    expect(readdirSync(cli.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test.skipIf(!existsSync('/dev/full'))('says why a file cannot be written completely', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);

    // Every write to this Linux device fails with ENOSPC.
    const { code, err } = await cli.run('events', 'export', '--file', '/dev/full', '--force');

    expect(code).toBe(2);
    expect(err).toMatch(/^error: \/dev\/full cannot be written\n  because: .*ENOSPC/);
  });

  describe("given the database's own files", () => {
    async function cliWithLinks() {
      const cli = cliEnvironment();
      await cli.seed([violation(1)]);
      writeFileSync(`${cli.database}-wal`, '');
      writeFileSync(`${cli.database}-shm`, '');
      symlinkSync('portaria.db', join(cli.folder, 'link'));
      symlinkSync('link', join(cli.folder, 'link-to-link'));
      symlinkSync('.', join(cli.folder, 'same-folder'));
      linkSync(`${cli.database}.lock`, join(cli.folder, 'hard-lock'));
      return cli;
    }

    const own = [
      'portaria.db',
      './handlers/../portaria.db',
      'portaria.db-wal',
      'portaria.db-shm',
      'portaria.db-journal',
      'portaria.db.lock',
      'link',
      'link-to-link',
      'link-wal',
      'same-folder/portaria.db',
      'same-folder/portaria.db-journal',
      'hard-lock',
    ];

    test('an export to one of them is rejected before anything is written, and an import from it', async () => {
      const cli = await cliWithLinks();
      cli.env['PORTARIA_DATABASE'] = join(cli.folder, 'link');
      const inode = statSync(cli.database).ino;

      for (const file of own) {
        const message = expect.stringContaining(
          `${file} belongs to the database; name another file`,
        ) as string;
        expect(await cli.run('events', 'export', '--file', file, '--force')).toMatchObject({
          code: 2,
          err: message,
        });
        expect(await cli.run('events', 'import', file)).toMatchObject({ code: 2, err: message });
      }

      expect(statSync(cli.database).ino).toBe(inode);
      expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(1);
    });
  });

  describe.each([['no --force'], ['--force', '--force']])('given %s', (_, ...force) => {
    const invalidTargets: [string, string, RegExp][] = [
      [
        'a link to nothing',
        'dangling',
        /^error: dangling is a link to a file that does not exist; create that file, or remove the link\n/,
      ],
      ['a link to itself', 'loop', /^error: loop cannot be written\n  because: .*ELOOP/],
      ['a folder', 'folder', /^error: folder is a folder; name a file in it\n/],
    ];
    test('rejects what is no file, with the reason', async () => {
      const cli = cliEnvironment();
      await cli.seed([violation(1)]);
      symlinkSync('nowhere', join(cli.folder, 'dangling'));
      symlinkSync('loop', join(cli.folder, 'loop'));
      mkdirSync(join(cli.folder, 'folder'));

      for (const [what, file, message] of invalidTargets) {
        const { code, err } = await cli.run('events', 'export', '--file', file, ...force);
        expect([code, err], what).toEqual([2, expect.stringMatching(message)]);
      }
      expect(existsSync(join(cli.folder, 'nowhere'))).toBe(false);
    });
  });

  test('without --force, the error says what --force does to a file and to a device', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    writeFileSync(join(cli.folder, 'file'), 'precious');
    symlinkSync('/dev/null', join(cli.folder, 'device'));

    const errors = ['file', 'device', '/dev/null'].map(async (file) => {
      const { code, err } = await cli.run('events', 'export', '--file', file);
      return [code, err.split('\n')[0]];
    });

    expect(await Promise.all(errors)).toEqual([
      [2, 'error: file exists; --force replaces it'],
      [2, 'error: device is a device or a pipe; --force writes to it'],
      [2, 'error: /dev/null is a device or a pipe; --force writes to it'],
    ]);
  });

  test.each([
    ['message_id', 'two words', 'message_id: must be 1 to 256 visible ASCII characters, or null'],
    ['message_id', 'x'.repeat(257), 'message_id: must be 1 to 256 visible ASCII characters, or null'],
    [
      'source',
      '../Fleet',
      'source: must be the name of a source: up to 63 lowercase letters, digits and hyphens',
    ],
    [
      'received_at',
      '2026-11-22T04:00:01.000Z',
      'received_at: 2026-11-22T04:00:01.000Z is more than a day in the future; correct it, or the clock of this machine',
    ],
  ])(
    'given an exported line with the %s %j, rejects the line with file and line',
    async (field, value, message) => {
      const cli = cliEnvironment();
      await cli.seed([violation(1)], { messageId: 'x'.repeat(256) });
      const first = (await cli.run('events', 'export')).out.trim();
      const broken = JSON.stringify({ ...(JSON.parse(first) as object), [field]: value });
      writeFileSync(join(cli.folder, 'in.ndjson'), `${first}\n${broken}\n`);

      const { code, out, err } = await cli.run('events', 'import', 'in.ndjson');

      expect(code).toBe(5);
      expect(out).toBe(`in.ndjson:2 unreadable: is not an exported event: ${message}\n`);
      expect(err).toBe('2 lines read: 1 duplicate, 1 unreadable.\n');
    },
  );

  test('rejects a --source that no source can be named', async () => {
    const cli = cliEnvironment();
    const input = JSON.stringify(violation(1));

    const { code, err } = await cli.begin(['events', 'import', '-', '--source', 'A b'], { input }).ended;

    expect([code, err]).toEqual([2, expect.stringContaining('--source A b is not the name of a source')]);
    expect(existsSync(cli.database)).toBe(false);
  });

  test('imports plain envelopes from standard input, and reports unreadable lines', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    const input = [
      JSON.stringify(violation(1)),
      '',
      'not json',
      '{"type":"charge.created","data":{"id":"x"}}',
      '{"body":"e30=","source":"default"}',
      JSON.stringify({ type: 'never.heard.of', data: { id: 1 } }),
    ].join('\n');
    const { code, rows, err } = await cli.begin(['events', 'import', '-', '--source', 'fleet', '--json'], {
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
    expect(err).toContain('5 lines read');
    expect((await cli.run('events', 'list', '--json', '--source', 'fleet')).rows).toHaveLength(2);
    const { out } = await cli.begin(['events', 'import', '-'], { input }).ended;
    expect(out).toContain('line 3 unreadable: is not a JSON object');
  });

  test('delivers imported events to handlers, unless --no-handlers is given', async () => {
    const cli = cliEnvironment({
      log: "export default defineHandler({ name: 'log', on: '*', handle() {} });",
    });
    await cli.seed([]);
    await cli.begin(['events', 'import', '-'], { input: JSON.stringify(violation(1)) }).ended;
    await cli.begin(['events', 'import', '-', '--no-handlers'], { input: JSON.stringify(violation(2)) })
      .ended;
    const { rows } = await cli.run('deliveries', 'list', '--json');
    expect(rows).toMatchObject([{ subject: 'traffic-violation:1', status: 'pending' }]);
  });

  test('keeps the order of lines that share a commit', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    const envelopes = Array.from({ length: 257 }, (_, index) => violation(7, `status ${String(index)}`));
    const input = envelopes.map((envelope) => JSON.stringify(envelope)).join('\n');
    await cli.begin(['events', 'import', '-'], { input }).ended;
    const bodies = await cli.withStore((store) =>
      Promise.all(envelopes.map(async (_, index) => (await store.event(String(index + 1)))?.body)),
    );
    expect(bodies.map((body) => Buffer.from(body ?? '').toString())).toEqual(input.split('\n'));
  });

  test('ends with 3 for a file that does not exist', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    expect(await cli.run('events', 'import', 'nowtarget.ndjson')).toMatchObject({ code: 3 });
  });
});
