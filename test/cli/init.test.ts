import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliEnvironment } from './kit/cli-environment.ts';

const files = [
  'package.json',
  'tsconfig.json',
  'handlers/overdue-charges.ts',
  'handlers/charge-status.ts',
  'test/handlers.test.ts',
  'Dockerfile',
  '.github/workflows/test.yml',
  '.env.example',
  '.env',
  '.gitignore',
  'README.md',
];

describe('init', () => {
  test('writes a project into a new folder, and names the next steps', async () => {
    const cli = cliEnvironment();
    const { code, out, err } = await cli.run('init', 'my-handlers');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const file of files) {
      expect(out).toContain(`  ${file}\n`);
      expect(readFileSync(join(cli.folder, 'my-handlers', file), 'utf8')).not.toBe('');
    }
    expect(out).toMatch(/\(file:\.\.[^]*copy its tarball to vendor\/[^]*\n\nNext\n/);
    expect(out).toMatch(/Next\n {2}cd my-handlers\n {2}npm install\n {2}npm run dev\n {2}npm test\n$/);
    expect(readFileSync(join(cli.folder, 'my-handlers', '.env'), 'utf8')).toContain(
      'PORTARIA_HANDLERS=./handlers',
    );
  });

  test('needs no valid settings, and prints JSON', async () => {
    const cli = cliEnvironment();
    cli.env['PORTARIA_PORT'] = 'eighty';
    const { code, rows } = await cli.run('init', 'Meus Ônibus!', '--json');
    expect(code).toBe(0);
    expect(rows).toEqual([
      {
        folder: join(cli.folder, 'Meus Ônibus!'),
        name: 'meus-nibus',
        portaria: expect.stringMatching(/^file:/) as string,
        written: files,
        kept: [],
        needed: [],
      },
    ]);
  });

  test.each(['handlers', 'test', '.github'])(
    'writes nothing through a linked folder %s, and says so',
    async (name) => {
      const cli = cliEnvironment();
      const folder = join(cli.folder, 'app');
      const victim = join(cli.folder, 'victim');
      mkdirSync(folder);
      mkdirSync(victim);
      symlinkSync(victim, join(folder, name));
      const { code, err } = await cli.run('init', 'app');
      expect(code).toBe(2);
      expect(err).toContain(`${name} is a link`);
      expect(readdirSync(victim)).toEqual([]);
      expect(readdirSync(folder), 'nothing is written').toEqual([name]);
    },
  );

  test.each([
    ['tsconfig.json', 'is a folder'],
    ['handlers', 'is not a folder'],
  ])('rejects a %s that %s, before it writes', async (name, what) => {
    const cli = cliEnvironment();
    const folder = join(cli.folder, 'app');
    mkdirSync(folder);
    if (what === 'is a folder') mkdirSync(join(folder, name));
    else writeFileSync(join(folder, name), '');
    const { code, err } = await cli.run('init', 'app');
    expect(code).toBe(2);
    expect(err).toContain(`${name} ${what}`);
    expect(err).not.toContain('EISDIR');
    expect(readdirSync(folder)).toEqual([name]);
  });

  test('replaces nothing, names what it kept, and what that lacks', async () => {
    const cli = cliEnvironment();
    const folder = join(cli.folder, 'app');
    mkdirSync(join(folder, 'handlers'), { recursive: true });
    const own: Readonly<Record<string, string>> = {
      'package.json': '{"name":"app","scripts":{"test":"true"}}',
      'tsconfig.json': '{ // with a comment\n}',
      'handlers/overdue-charges.ts': 'mine',
    };
    for (const [name, text] of Object.entries(own)) writeFileSync(join(folder, name), text);
    symlinkSync('nowhere', join(folder, 'README.md'));

    const { code, out } = await cli.run('init', 'app');

    expect(code).toBe(0);
    for (const [name, text] of Object.entries(own)) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
      expect(out).toMatch(new RegExp(`Kept, because they exist\\n( .*\\n)* {2}${name}\\n`));
    }
    expect(out).toContain('  npm pkg set type=module\n');
    expect(out).toMatch(/^ {2}npm install "portaria@file:.*"$/m);
    expect(out).toContain('tsconfig.json needs "module": "nodenext"');
    expect(out).not.toContain('scripts.test');
    for (const script of ['start', 'dev', 'portaria', 'typecheck'])
      expect(out, 'what README.md and .env name').toMatch(
        new RegExp(`^ {2}npm pkg set "scripts\\.${script}=[^"]+"$`, 'mu'),
      );
    expect(out).toMatch(/ {2}npm run dev\n {2}npm test\n$/u);

    const again = await cli.run('init', 'app', '--json');
    expect(again.rows).toMatchObject([{ written: [], kept: files }]);
  });

  test('writes into the current folder by default', async () => {
    const cli = cliEnvironment();
    const { out } = await cli.run('init');
    expect(out).toMatch(/Next\n {2}npm install\n/);
    expect(readFileSync(join(cli.folder, 'package.json'), 'utf8')).toContain('"portaria": "file:');
  });

  test('says what is wrong with a folder that it cannot write', async () => {
    const cli = cliEnvironment();
    writeFileSync(join(cli.folder, 'a-file'), '');
    const { code, err } = await cli.run('init', 'a-file/project');
    expect(code).toBe(2);
    expect(err).toMatch(
      /a-file\/project cannot hold a project: ENOTDIR.*name a folder that this user can write/,
    );
  });
});
