/** `contract drift`: what was received compared with the contract, and the patch that would accept it. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { cliEnvironment } from './cli-environment.ts';

const root = join(import.meta.dirname, '..', '..');
const { data: company } = fixture('company.updated');
const { data: charge } = fixture('charge.updated');

/** Webhooks of a provider that has moved on. */
async function driftedCli() {
  const cli = cliEnvironment();
  await cli.seed(
    [
      { type: 'company.updated', data: { ...company, archived_reason: 'Ana sold it', fleet: { size: 4 } } },
      {
        type: 'company.updated',
        data: { ...company, sne: { ...(company['sne'] as object), status: 'paused' } },
      },
      { type: 'charge.updated', data: { ...charge, status: 'Ana Maria 529.982.247-25' } },
      { type: 'company.archived', data: { id: 7, contact: 'Bia' } },
      // Held: the amount has become a string, and the agency's code a number.
      { type: 'charge.updated', data: { ...charge, amount: '92.41', code: 7 } },
    ],
    {},
  );
  return cli;
}

describe('contract drift', () => {
  test('lists fields, values and types by kind and path, since when and how often', async () => {
    const cli = await driftedCli();
    const { rows } = await cli.run('contract', 'drift', '--json');
    const shown = rows
      .filter(({ difference }) => difference !== 'never')
      .map(({ kind, path, difference, type, value, events }) => [
        kind,
        path,
        difference,
        type,
        value,
        events,
      ]);
    expect(shown).toEqual([
      ['charge.updated', 'amount', 'other-type', 'string', null, 1],
      ['charge.updated', 'code', 'other-type', 'number', null, 1],
      ['charge.updated', 'status', 'unlisted', 'string', null, 1],
      ['company.archived', '', 'unknown-kind', 'object', null, 1],
      ['company.archived', 'contact', 'undeclared', 'string', null, 1],
      ['company.archived', 'id', 'undeclared', 'number', null, 1],
      ['company.updated', 'archived_reason', 'undeclared', 'string', null, 1],
      ['company.updated', 'fleet', 'undeclared', 'object', null, 1],
      ['company.updated', 'sne.status', 'unlisted', 'string', 'paused', 1],
    ]);
    expect(rows[0]).toMatchObject({ source: 'default', first_seen: expect.any(String) as string });
  });

  test('lists declared fields that never came', async () => {
    const cli = cliEnvironment();
    await cli.seed([{ type: 'charge.updated', data: { id: 1, type: 'fine', status: 'paid' } }]);
    const { rows } = await cli.run('contract', 'drift', '--json');
    expect(rows.every(({ difference }) => difference === 'never')).toBe(true);
    expect(rows.map(({ path }) => path)).toContain('amount');
    expect(rows.map(({ path }) => path)).not.toContain('status');
    // Of an object that never came, only the object.
    expect(rows.map(({ path }) => path)).toContain('company');
    expect(rows.map(({ path }) => path)).not.toContain('company.id');
  });

  test('never shows personal values, in any form', async () => {
    const cli = await driftedCli();
    for (const flags of [[], ['--json'], ['--patch'], ['--dry-run']]) {
      const { out, err } = await cli.run('contract', 'drift', ...flags);
      expect(out + err).not.toMatch(/Ana|Bia|529/);
    }
  });

  test('counts only what came since a moment', async () => {
    const cli = await driftedCli();
    const { rows } = await cli.run('contract', 'drift', '--json', '--since', '2999-01-01');
    expect(rows).toEqual([]);
    expect((await cli.run('contract', 'drift', '--since', '2999-01-01')).out).toContain(
      'matches the contract',
    );
  });

  test('says how many differences are shown when there are more', async () => {
    const cli = cliEnvironment();
    const fields = Array.from({ length: 5_001 }, (_, at) => [`f${String(at)}`, 1]);
    await cli.seed([{ type: 'fleet.grown', data: { id: 1, ...(Object.fromEntries(fields) as object) } }]);
    const { err, rows } = await cli.run('contract', 'drift', '--json');
    expect(rows).toHaveLength(5_000);
    expect(err).toContain(
      'There are more than 5,000 differences, and the rest is not shown; --since shows fewer.',
    );
  });

  test('--dry-run says what the patch would release, recognize and know', async () => {
    const cli = await driftedCli();
    const { rows } = await cli.run('contract', 'drift', '--dry-run', '--json');
    expect(rows.map(({ kind, effect }) => [kind, effect])).toEqual([
      ['charge.updated', 'release'],
      ['company.archived', 'recognize'],
      ['company.updated', 'known-values'],
    ]);
    expect((await cli.run('quarantine', 'list', '--json')).rows).toMatchObject([{ status: 'held' }]);
  });

  test('writes a field whose name holds a dot as one field, and only names a field whose name is cut', async () => {
    const cli = cliEnvironment();
    const long = 'x'.repeat(70);
    const odd = { 'a.b': 1, 'c[0]': 'x', [long]: true };
    await cli.seed([
      { type: 'company.updated', data: { ...company, ...odd } },
      { type: 'fleet.grown', data: { id: 7, ...odd } },
    ]);
    const { rows } = await cli.run('contract', 'drift', '--json');
    const paths = rows.filter(({ difference }) => difference === 'undeclared').map(({ path }) => path);
    expect(paths).toEqual([
      '["a.b"]',
      '["c[0]"]',
      `${'x'.repeat(60)}…`,
      '["a.b"]',
      '["c[0]"]',
      'id',
      `${'x'.repeat(60)}…`,
    ]);
    const { out } = await cli.run('contract', 'drift', '--patch');
    expect(out).not.toMatch(/'a'|'b'|'x+'/);
    expect(out.match(/ {2}\/\/ .*: undeclared/g)).toEqual([
      '  // ["a.b"]: undeclared',
      '  // ["c[0]"]: undeclared',
      `  // ${'x'.repeat(60)}…: undeclared`,
      '  // ["a.b"]: undeclared',
      '  // ["c[0]"]: undeclared',
      `  // ${'x'.repeat(60)}…: undeclared`,
    ]);
  });

  test('writes kinds whose names give one variable, or a word of the language, as a file that loads', async () => {
    const cli = cliEnvironment();
    const kinds = ['fleet.grown', 'fleet-grown', 'delete', 'z', 'fleet.grown2'];
    await cli.seed(kinds.map((type, id) => ({ type, data: { id } })));
    const { code, rows, err } = await cli.run('contract', 'drift', '--dry-run', '--json');
    expect([code, err]).toEqual([0, '']);
    expect(rows.map(({ kind, effect }) => [kind, effect])).toEqual(kinds.map((kind) => [kind, 'recognize']));
  });

  test('a name that a sender chose is never code of the patch', async () => {
    const cli = cliEnvironment();
    const names = [
      '[\u2028globalThis.injected = 1 //',
      '[\nglobalThis.injected = 1 //',
      "a'; globalThis.injected = 1; '",
    ];
    await cli.seed(
      names.map((name, id) => ({ type: 'fleet.grown', data: { id, [name]: 1 } })),
      {},
    );
    const { out } = await cli.run('contract', 'drift', '--patch');
    expect(out.split(/[\n\r\u2028\u2029]/).filter((line) => line.startsWith('globalThis'))).toEqual([]);
    expect((await cli.run('contract', 'drift', '--dry-run')).code).toBe(0);
    expect(globalThis).not.toHaveProperty('injected');
  });

  test('--patch prints a file that compiles, loads, and accepts what was held', async () => {
    const cli = await driftedCli();
    const { out } = await cli.run('contract', 'drift', '--patch');
    writeFileSync(join(cli.handlersFolder, 'patch.ts'), out);
    const compilerOptions = { rootDir: '/', typeRoots: [join(root, 'node_modules', '@types')] };
    writeFileSync(join(cli.folder, 'package.json'), '{"type":"module"}');
    const project = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      include: [],
      files: ['handlers/patch.ts'],
    };
    writeFileSync(join(cli.folder, 'tsconfig.json'), JSON.stringify(project));
    const tsc = spawnSync(process.execPath, [join(root, 'node_modules/.bin/tsc'), '-p', cli.folder], {
      encoding: 'utf8',
    });
    expect(tsc.stdout + tsc.stderr).toBe('');

    const released = await cli.run('quarantine', 'release', '--json');
    expect(released.rows).toMatchObject([{ outcome: 'released', kind: 'charge.updated' }]);
    const again = await cli.run('contract', 'drift', '--json');
    const left = again.rows.filter(({ difference }) => difference !== 'never');
    // A value that is no word is not written into the patch.
    expect(left.map(({ kind, path }) => [kind, path])).toEqual([['charge.updated', 'status']]);
    const shown = await cli.run('events', 'show', '1', '--json');
    expect(shown.rows[0]).toMatchObject({ data: { archived_reason: '***' } });
  });
});
