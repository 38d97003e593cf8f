/** `contract drift`: what was received compared with the contract, and the patch that would accept it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compiled, publishedTypes } from '../support/compiler.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { cliEnvironment } from './kit/cli-environment.ts';

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
      .map(({ kind, path, difference, type, value, webhooks, held }) => [
        kind,
        path,
        difference,
        type,
        value,
        webhooks,
        held,
      ]);
    expect(shown).toEqual([
      ['charge.updated', 'data.amount', 'other-type', 'string', null, 1, 1],
      ['charge.updated', 'data.code', 'other-type', 'number', null, 1, 1],
      ['charge.updated', 'data.status', 'unlisted', 'string', null, 1, 0],
      ['company.archived', 'data', 'unknown-kind', 'object', null, 1, 0],
      ['company.updated', 'data.archived_reason', 'undeclared', 'string', null, 1, 0],
      ['company.updated', 'data.fleet', 'undeclared', 'object', null, 1, 0],
      ['company.updated', 'data.sne.status', 'unlisted', 'string', 'paused', 1, 0],
    ]);
    expect(rows.find(({ kind }) => kind === 'company.archived')).toMatchObject({ fields: ['contact', 'id'] });
    const limited = await cli.run('contract', 'drift', '--json', '--limit', '2');
    expect(limited.rows).toEqual(rows.slice(0, 2));
    expect(rows[0]).toMatchObject({ source: 'default', first_seen: expect.any(String) as string });
  });

  test('lists declared fields that never came', async () => {
    const cli = cliEnvironment();
    await cli.seed([{ type: 'charge.updated', data: { id: 1, type: 'fine', status: 'paid' } }]);
    const { rows } = await cli.run('contract', 'drift', '--json');
    expect(rows.every(({ difference }) => difference === 'never')).toBe(true);
    expect(rows.map(({ path }) => path)).toContain('data.amount');
    expect(rows.map(({ path }) => path)).not.toContain('data.status');
    // Of an object that never came, only the object.
    expect(rows.map(({ path }) => path)).toContain('data.company');
    expect(rows.map(({ path }) => path)).not.toContain('data.company.id');
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

  test('--dry-run says what the patch would release and know; stored unrecognized events stay so', async () => {
    const cli = await driftedCli();
    const { rows } = await cli.run('contract', 'drift', '--dry-run', '--loosen', '--json');
    expect(rows.map(({ kind, effect }) => [kind, effect])).toEqual([
      ['charge.updated', 'release'],
      ['company.updated', 'known-values'],
    ]);
    expect((await cli.run('quarantine', 'list', '--json')).rows).toMatchObject([{ status: 'held' }]);
  });

  test('--dry-run names stored events that the patch would reject', async () => {
    const cli = cliEnvironment();
    await cli.seed([{ type: 'fleet.grown', data: { id: 7, size: 'large' } }], { receivedAt: 0 });
    await cli.seed([{ type: 'fleet.grown', data: { id: 7, size: 4 } }]);
    const { rows } = await cli.run('contract', 'drift', '--dry-run', '--since', '2000-01-01', '--json');
    expect(rows.map(({ kind, effect }) => [kind, effect])).toEqual([['fleet.grown', 'invalid']]);
  });

  test('--patch accepts payloads that are lists, texts, null, or of several types', async () => {
    const cli = cliEnvironment();
    const payloads = {
      'list.sent': [[{ id: 1 }], []],
      'text.sent': ['a'],
      'none.sent': [null],
      'any.sent': [{ id: 7 }, null, true, 1.5],
    };
    await cli.seed(Object.entries(payloads).flatMap(([type, all]) => all.map((data) => ({ type, data }))));
    const { rows } = await cli.run('contract', 'drift', '--dry-run', '--json');
    expect(rows).toEqual([]);
    const { out } = await cli.run('contract', 'drift', '--patch');
    expect(out).toContain("defineKind('list.sent', {\n  schema: z.array(z.unknown()),\n})");
    expect(out).not.toContain('  personal: [');
  });

  test('shows the name of an undeclared field only if it is an identifier and not personal', async () => {
    const cli = cliEnvironment();
    const names = ['529.982.247-25', 'ana.silva@example.com', 'Ana Silva', 'cpf_52998224725', 'x'.repeat(70)];
    const odd = Object.fromEntries(names.map((name) => [name, 1]));
    await cli.seed([
      { type: 'company.updated', data: { ...company, ...odd, fleet_size: 1 } },
      { type: 'fleet.grown', data: { id: 7, ...odd } },
      { type: 'x.529.982.247-25', data: { id: 7 } },
    ]);
    const { rows } = await cli.run('contract', 'drift', '--json');
    const paths = rows.filter(({ difference }) => difference === 'undeclared').map(({ path }) => path);
    expect(paths).toEqual(['data.***', 'data.fleet_size']);
    // Of an unknown kind, the names are in its row.
    const fields = rows.flatMap((row) => (row['fields'] ?? []) as readonly string[]);
    expect(fields).toEqual(['***', 'id', 'id']);
    for (const flags of [[], ['--json'], ['--patch'], ['--dry-run']]) {
      const { out, err } = await cli.run('contract', 'drift', ...flags);
      expect(out + err).not.toMatch(/ana|silva|529|xxx/i);
    }
    const { out } = await cli.run('contract', 'drift', '--patch');
    expect(out).toContain('  // ***: undeclared\n');
    expect(out).toContain('// Kind x.<cpf> is left out: its name may hold personal data.\n');
  });

  test('missing fields and other types that only quarantined bodies show are comments of the patch', async () => {
    const cli = cliEnvironment();
    await cli.seed([
      { type: 'charge.updated', data: {} },
      { type: 'charge.updated', data: { ...charge, amount: '12,50' } },
    ]);
    const { out } = await cli.run('contract', 'drift', '--patch');
    expect(out).not.toContain('defineKind');
    expect(out).toContain('// amount: other-type (string), only in quarantine; --loosen accepts it\n');
    expect(out).toContain('// id: other-type (absent), only in quarantine; --loosen accepts it\n');
    expect((await cli.run('contract', 'drift', '--dry-run', '--json')).rows).toEqual([]);
    const loosened = await cli.run('contract', 'drift', '--patch', '--loosen');
    expect(loosened.out).toContain("'amount': z.union([");
  });

  test('an id that every webhook of an unknown kind has is required and not personal', async () => {
    const cli = cliEnvironment();
    await cli.seed([
      { type: 'fleet.grown', data: { id: 7, size: 4 } },
      { type: 'fleet.grown', data: { id: 8 } },
      { type: 'fleet.shrunk', data: { id: 7 } },
      { type: 'fleet.shrunk', data: { size: 2 } },
    ]);
    const { out } = await cli.run('contract', 'drift', '--patch');
    const [, grown = '', shrunk = ''] = out.split('defineKind(');
    expect(grown).toContain("'id': z.number(),");
    expect(grown).toContain("personal: ['size']");
    expect(shrunk).toContain("'id': z.number().nullish(),");
    expect(shrunk).toContain("personal: ['id', 'size']");
  });

  test('--kind selects kinds, also of the patch', async () => {
    const cli = await driftedCli();
    const { rows } = await cli.run('contract', 'drift', '--kind', 'company.*', '--json');
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['company.archived', 'company.updated']));
    const kinds = ['--kind', 'charge.updated', '--kind', 'company.archived'];
    const { out } = await cli.run('contract', 'drift', '--patch', '--loosen', ...kinds);
    expect(out.match(/defineKind\('[^']*'/g)).toEqual([
      "defineKind('charge.updated'",
      "defineKind('company.archived'",
    ]);
    const twice = await cli.run('contract', ...kinds);
    expect(twice).toMatchObject({ code: 2, err: expect.stringContaining('was given twice') as string });
  });

  test('--out writes the patch into the handlers folder, and replaces a file only with --force', async () => {
    const cli = await driftedCli();
    const path = join(cli.handlersFolder, 'patch.ts');
    const drift = (...flags: string[]) =>
      cli.run('contract', 'drift', '--out', 'handlers/patch.ts', ...flags);
    writeFileSync(path, '');
    const refused = await drift();
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('patch.ts is empty and ignored');
    expect(refused.err).toContain('handlers/patch.ts exists; --force replaces it');
    expect(refused.err, 'which says it all').not.toContain('because:');
    const written = await drift('--force');
    expect(written).toMatchObject({ code: 0, out: '' });
    expect(written.err).toContain('handlers/patch.ts is written: 2 kinds.');
    expect(readFileSync(path, 'utf8')).toContain("defineKind('company.updated', {");
    expect(readdirSync(cli.handlersFolder)).toEqual(['patch.ts']);
    writeFileSync(join(cli.handlersFolder, 'empty.ts'), '');
    const { out } = await cli.run('doctor');
    expect(out).toMatch(/empty\.ts is empty and ignored/);
    // The definitions would be lost.
    const again = await drift('--force');
    expect(again).toMatchObject({ code: 2 });
    expect(again.err).toContain('handlers/patch.ts defines kinds that are in use; name another file');
    expect((await drift('--dry-run')).err).toContain('--out and --dry-run exclude each other');
  });

  test('--out writes no file without definitions, which would not load', async () => {
    const cli = cliEnvironment();
    await cli.seed([{ type: 'charge.updated', data: charge }]);
    const { code, err } = await cli.run('contract', 'drift', '--out', 'handlers/patch.ts');
    expect(code).toBe(0);
    expect(err).toContain('handlers/patch.ts is not written: the patch defines nothing');
    expect(readdirSync(cli.handlersFolder)).toEqual([]);
    // A redirected one loads.
    const { out } = await cli.run('contract', 'drift', '--patch');
    writeFileSync(join(cli.handlersFolder, 'patch.ts'), out);
    expect((await cli.run('contract', 'drift')).code).toBe(0);
  });

  test('fields named as every object has them are listed and left out of the patch', async () => {
    const cli = cliEnvironment();
    const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__'];
    await cli.seed([
      {
        type: 'charge.updated',
        data: { ...charge, ...Object.fromEntries(names.map((name) => [name, 1])), extra: 2 },
      },
      { type: 'charge.updated', data: { ...charge, id: 2 } },
    ]);
    const { rows } = await cli.run('contract', 'drift', '--json');
    const found = rows.filter(({ difference }) => difference === 'undeclared');
    expect(found.map(({ path }) => path).sort()).toEqual(
      [...names, 'extra'].map((name) => `data.${name}`).sort(),
    );
    expect(await cli.run('contract', 'drift', '--dry-run')).toMatchObject({ code: 0 });

    expect(await cli.run('contract', 'drift', '--out', 'handlers/odd.ts')).toMatchObject({ code: 0 });
    const text = readFileSync(join(cli.handlersFolder, 'odd.ts'), 'utf8');
    for (const name of names) expect(text).toContain(`// ${name}: undeclared`);
    const after = await cli.run('contract', 'drift', '--json');
    expect(after.code).toBe(0);
    expect(after.rows.some(({ path }) => path === 'data.extra')).toBe(false);
  });

  test('no kind or field that a sender chose spoils the patch', async () => {
    const cli = cliEnvironment();
    const kinds = [
      'delete',
      'z',
      'define',
      'a.b',
      'a-b',
      'aB',
      'a*',
      '9',
      'é',
      'x\u2028globalThis.injected = 1 //',
    ];
    await cli.seed([
      ...kinds.map((type, id) => ({ type, data: { id } })),
      `{"type":"company.updated","data":${JSON.stringify(company).slice(0, -1)},"__proto__":{"a":1},"tax_id.x":1}}`,
    ]);
    const before = await cli.run('contract', 'drift', '--dry-run', '--json');
    expect(before).toMatchObject({ code: 0, rows: [] });
    const { out } = await cli.run('contract', 'drift', '--patch');
    expect(out).toMatch(/^[\n\x20-\x7e]*$/);
    expect(out).toContain('// Kind a* is left out: defineKind does not accept its name.\n');
    writeFileSync(join(cli.handlersFolder, 'patch.ts'), out);
    const after = await cli.run('contract', 'drift', '--json');
    expect(after.code).toBe(0);
    const unknown = after.rows.filter(({ difference }) => difference === 'unknown-kind');
    expect(unknown.map(({ kind }) => kind)).toEqual(['a*']);
    expect(globalThis).not.toHaveProperty('injected');
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
    const { out } = await cli.run('contract', 'drift', '--patch', '--loosen');
    writeFileSync(join(cli.handlersFolder, 'patch.ts'), out);
    writeFileSync(join(cli.folder, 'package.json'), '{"type":"module"}');
    const project = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { ...publishedTypes(), rootDir: '/' },
      include: [],
      files: ['handlers/patch.ts'],
    };
    writeFileSync(join(cli.folder, 'tsconfig.json'), JSON.stringify(project));
    expect(compiled(cli.folder)).toBe('');

    const released = await cli.run('quarantine', 'release', '--json');
    expect(released.rows).toMatchObject([{ outcome: 'released', kind: 'charge.updated' }]);
    const again = await cli.run('contract', 'drift', '--json');
    const left = again.rows.filter(({ difference }) => difference !== 'never');
    // A value that is no word is not written into the patch.
    expect(left.map(({ kind, path }) => [kind, path])).toEqual([['charge.updated', 'data.status']]);
    const shown = await cli.run('events', 'show', '1', '--json');
    expect(shown.rows[0]).toMatchObject({ data: { archived_reason: '***' } });
  });
});
