import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliEnvironment, type Envelope } from '../kit/cli-environment.ts';

const CPF = '12345678909';
const OTHER_CPF = '98765432100';

const indication = (id: number, more: object = {}): Envelope => ({
  type: 'traffic-violation.indication.created',
  data: {
    id,
    status: 'pending',
    tax_id: CPF,
    name: 'Ana de Souza Prado',
    email: 'Ana.Prado@example.com',
    phone: '11987654321',
    license: '04512345678',
    vars: { condutor: 'Ana de Souza Prado', placa: 'ABC1D23' },
    requester_email: 'gestor@frota.example',
    requester_phone: '1133334444',
    updated_at: '2026-11-20T10:00:00Z',
    ...more,
  },
});

const others: readonly Envelope[] = [
  indication(900, {
    tax_id: OTHER_CPF,
    name: 'Bruno Lima',
    email: 'bruno@example.com',
    phone: '21912345678',
    vars: {},
  }),
  { type: 'console-user.created', data: { id: 'c1', name: 'Gestora', email: 'gestor@frota.example' } },
];

const failing = {
  failing:
    "export default defineHandler({ name: 'failing', on: '*', retry: { attempts: 1 }, handle({ data }) { throw new Error(`no driver ${data.name} with CPF ${data.tax_id}`); } });",
};

async function seeded(bodies: readonly (Envelope | string)[]) {
  const cli = cliEnvironment(failing);
  await cli.seed(bodies);
  await cli.dispatch();
  return cli;
}

/** The bytes of the database and its log, without any open connection. */
function bytesOf(database: string): string {
  return readFileSync(database, 'latin1');
}

describe('privacy find', () => {
  it('lists rows and fields of a person, and masks the values', async () => {
    const cli = await seeded([indication(1), ...others]);
    const { code, rows, err, out } = await cli.run('privacy', 'find', '123.456.789-09', '--json');
    expect(code).toBe(0);
    expect(rows.map(({ place, id }) => [place, id])).toEqual([
      ['event', '000000-1'],
      ['delivery', 'd1'],
      ['attempt', 'd1 attempt 1'],
    ]);
    expect(rows[0]).toMatchObject({
      kind: 'traffic-violation.indication.created',
      subject: 'traffic-violation-indication:1',
      fields: [
        'data.tax_id',
        'data.name',
        'data.email',
        'data.phone',
        'data.license',
        'data.vars.condutor',
        'data.vars.placa',
      ],
      values: null,
    });
    expect(err).toContain('3 rows: 1 event, 1 delivery, 1 attempt');
    expect(out + err).not.toContain('Ana');
  });

  it('shows and reports values with --unmask', async () => {
    const cli = await seeded([indication(1)]);
    const { rows, err } = await cli.run('privacy', 'find', CPF, '--unmask', '--json');
    expect(rows[0]?.['values']).toContain('Ana de Souza Prado');
    expect(err).toContain('Recorded in the audit as u1.');
    expect(err).not.toContain('Ana');
  });

  it('reads identifiers from standard input', async () => {
    const cli = await seeded([indication(1)]);
    const run = await cli.begin(['privacy', 'find', '-', '--json'], { input: `${CPF}\n` }).ended;
    expect(run.rows).toHaveLength(3);
  });

  it('says where to look for a subject of which nothing is stored', async () => {
    const cli = await seeded([indication(1)]);
    const { out, err } = await cli.run('privacy', 'find', 'company:12');
    expect(out).toBe('The database holds nothing of this person.\n');
    expect(err).toContain('`portaria subjects list --company <id>` what belongs to a company');
  });

  it('names every wrong identifier by its place, not by its value', async () => {
    const cli = await seeded([]);
    const { code, err } = await cli.run('privacy', 'find', '12345678900', 'charge:12');
    expect(code).toBe(2);
    expect(err).toContain('identifier 1: is not a CPF (its check digits are wrong)');
    expect(err).toContain('identifier 2: charge is not a person');
    expect(err).toContain(
      'for a subject: `portaria subjects show <family:id>` shows the events of a subject',
    );
    expect(err).not.toContain('12345678900');
  });
});

describe('privacy erase', () => {
  const yes = ['--yes', '--reason', 'request 2026-17', '--by', 'dpo'] as const;

  it('leaves nothing of the person in the file, and everything of the others', async () => {
    const cli = await seeded([
      indication(1),
      indication(2, { tax_id: OTHER_CPF }),
      ...others,
      `{"type": broken ${CPF}`,
    ]);
    const before = bytesOf(cli.database);
    expect(before).toContain(CPF);
    const { code, out, err } = await cli.run('privacy', 'erase', CPF, ...yes, '--json');
    expect(err).not.toContain('not finished');
    expect(code).toBe(0);
    const receipt = JSON.parse(out) as Record<string, unknown>;
    expect(receipt).toMatchObject({
      erasure: 'x1',
      requested_by: 'dpo',
      reason: 'request 2026-17',
      erased_rows: { event: 1, quarantine: 1, delivery: 1, state: 0 },
      rows_left: 0,
      hits: 0,
    });
    expect(out + err).not.toMatch(/12345678909|Ana|ana\.prado/i);
    const after = bytesOf(cli.database);
    expect(after).not.toMatch(/123.?456.?789.?09/);
    expect(after).toContain('Bruno Lima');
    const shown = await cli.run('events', 'show', '1', '--unmask', '--json');
    expect(shown.rows[0]).toMatchObject({
      flags: expect.arrayContaining(['erased']) as unknown,
      data: {
        id: 1,
        status: 'pending',
        tax_id: null,
        name: null,
        email: null,
        phone: null,
        vars: { condutor: null, placa: null },
        requester_email: 'gestor@frota.example',
        updated_at: '2026-11-20T10:00:00Z',
      },
    });
  });

  it('recognizes a repeat of the original, and stores new data as a new event', async () => {
    const cli = await seeded([indication(1)]);
    await cli.run('privacy', 'erase', CPF, ...yes);
    await cli.seed([indication(1)]);
    const repeated = await cli.run('events', 'list', '--json');
    expect(repeated.rows).toHaveLength(1);
    expect(repeated.rows[0]).toMatchObject({ repeats: 1 });
    expect(bytesOf(cli.database)).not.toContain(CPF);
    await cli.seed([indication(1, { updated_at: '2026-11-20T11:00:00Z' })]);
    expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(2);
  });

  it('changes nothing in a dry run', async () => {
    const cli = await seeded([indication(1)]);
    const { code, rows } = await cli.run('privacy', 'erase', CPF, '--dry-run', '--json');
    expect(code).toBe(0);
    expect(rows[0]).toMatchObject({ dry_run: true, rows: { event: 1, delivery: 1 }, held_rows: 0 });
    const [kind] = rows[0]!['kinds'] as readonly { erased: string[]; kept: string[] }[];
    expect(kind).toMatchObject({ place: 'event', kind: 'traffic-violation.indication.created', rows: 1 });
    expect(kind!.erased).toEqual(expect.arrayContaining(['data.tax_id', 'data.name']));
    expect(kind!.kept).toEqual(expect.arrayContaining(['data.id', 'data.status']));
    expect(bytesOf(cli.database)).toContain(CPF);
  });

  it.each([
    [[CPF], 'add --dry-run to see it, or --yes'],
    [[CPF, '--yes'], 'Add --reason'],
    [[CPF, '--yes', '--reason', `of ${CPF}`], 'it names the person'],
    [[CPF, '--yes', '--reason', 'asked', '--receipt', 'portaria.db'], 'belongs to the database'],
    [[CPF, '--yes', '--reason', 'asked', '--receipt', 'handlers'], 'handlers exists; name another file'],
  ])('rejects %j', async (args, message) => {
    const cli = await seeded([indication(1)]);
    const { code, err } = await cli.run('privacy', 'erase', ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(bytesOf(cli.database)).toContain(CPF);
  });

  it('finds the CPF of a user, and erases it in the events of others', async () => {
    const cli = await seeded([
      {
        type: 'user.login.started',
        data: {
          id: 77,
          uid: CPF,
          connected: false,
          step: null,
          attempt: 1,
          occurred_at: '2026-11-20T09:00:00Z',
        },
      },
      indication(1),
      {
        type: 'traffic-violation.created',
        data: { id: 5, status: 'pending', location: 'Rua das Flores, 12', user: { id: 77 } },
      },
      {
        type: 'traffic-violation.ticket.created',
        data: {
          id: 6,
          status: 'issued',
          barcode: '836200000005667800481001809756573100158963608',
          traffic_violation: { id: 5 },
        },
      },
      {
        type: 'traffic-violation.created',
        data: { id: 8, status: 'pending', location: 'Rua do Sol, 3', user: { id: 78 } },
      },
    ]);
    const { code, rows } = await cli.run('privacy', 'erase', 'user:77', ...yes, '--json');
    expect(code).toBe(0);
    expect(rows[0]).toMatchObject({ erased_rows: { event: 4 }, hits: 0 });
    const after = bytesOf(cli.database);
    for (const gone of [
      CPF,
      'Rua das Flores',
      '836200000005667800481001809756573100158963608',
      'Ana de Souza',
    ])
      expect(after).not.toContain(gone);
    expect(after).toContain('Rua do Sol, 3');
  });
});

describe('privacy hold', () => {
  it('keeps a held person, and says why', async () => {
    const cli = await seeded([
      { type: 'user.login.started', data: { id: 77, uid: CPF, connected: false, step: null, attempt: 1 } },
    ]);
    expect((await cli.run('privacy', 'hold', 'add', 'user:77', '--reason', 'case 12/2026')).code).toBe(0);
    for (const how of [['--dry-run'], ['--yes', '--reason', 'asked']]) {
      const { code, err } = await cli.run('privacy', 'erase', CPF, ...how);
      expect(code).toBe(7);
      expect(err).toContain('user:77: case 12/2026');
    }
    expect(bytesOf(cli.database)).toContain(CPF);
    expect((await cli.run('privacy', 'hold', 'list', '--json')).rows).toMatchObject([
      { subject: 'user:77', reason: 'case 12/2026' },
      { subject: 'user-login:77' },
    ]);
    expect((await cli.run('privacy', 'hold', 'remove', 'user:77')).code).toBe(0);
    expect((await cli.run('privacy', 'erase', CPF, '--yes', '--reason', 'asked')).code).toBe(0);
    expect((await cli.run('privacy', 'hold', 'remove', 'user:77')).code).toBe(3);
  });

  it('keeps the events of another held subject, and says so in the receipt', async () => {
    const cli = await seeded([indication(1), indication(2)]);
    await cli.run('privacy', 'hold', 'add', 'traffic-violation-indication:2', '--reason', 'appeal');
    const { code, rows, err } = await cli.run(
      'privacy',
      'erase',
      CPF,
      '--yes',
      '--reason',
      'asked',
      '--json',
    );
    expect(code).toBe(5);
    expect(rows[0]).toMatchObject({ erased_rows: { event: 1, delivery: 1 }, held_rows: 3 });
    expect(err).toContain('3 rows of held subjects stay');
    await cli.run('privacy', 'hold', 'remove', 'traffic-violation-indication:2');
    expect((await cli.run('privacy', 'reapply')).code).toBe(0);
    expect(bytesOf(cli.database)).not.toContain(CPF);
  });
});

describe('a kind that names the person', () => {
  it('stays, and the command says so', async () => {
    const cli = await seeded([{ type: `driver.${CPF}`, data: { id: 1, tax_id: CPF } }]);
    const { code, err } = await cli.run('privacy', 'erase', CPF, '--yes', '--reason', 'asked');
    expect(code).toBe(5);
    expect(err).toContain('the kind of 1 event names the person, and stays: no receipt is possible');
    expect(err).not.toContain('Run the same command again');
    expect(err).not.toContain(CPF);
  });
});

describe('receipts', () => {
  it('are stored, verified, and notice a change', async () => {
    const cli = await seeded([indication(1)]);
    await cli.run('privacy', 'erase', CPF, '--yes', '--reason', 'asked', '--receipt', 'receipt.json');
    const file = join(cli.folder, 'receipt.json');
    const stored = await cli.run('privacy', 'receipts', 'x1');
    expect(JSON.parse(stored.out)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
    expect((await cli.run('privacy', 'verify', 'receipt.json')).out).toContain('Valid');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"asked"', '"never asked"'));
    const changed = await cli.run('privacy', 'verify', 'receipt.json');
    expect(changed.code).toBe(1);
    expect(changed.out).toContain('INVALID');
  });

  it('of another database are told apart', async () => {
    const one = await seeded([indication(1)]);
    const other = await seeded([indication(1)]);
    await one.run('privacy', 'erase', CPF, '--yes', '--reason', 'asked', '--receipt', 'receipt.json');
    const file = join(one.folder, 'receipt.json');
    const { code, out } = await other.run('privacy', 'verify', file);
    expect(code).toBe(1);
    expect(out).toContain('UNKNOWN KEY');
    expect((await other.run('privacy', 'reapply', '--receipts', file)).err).toContain('cannot be used here');
  });
});

describe('an import after an erasure', () => {
  const erase = ['privacy', 'erase', CPF, '--yes', '--reason', 'asked'] as const;

  it('takes the lines of an erased person for repeats, from before and from after the erasure', async () => {
    const cli = await seeded([indication(1), ...others]);
    await cli.run('events', 'export', '--file', 'before.ndjson');
    await cli.run(...erase);
    await cli.run('events', 'export', '--file', 'after.ndjson');
    for (const file of ['before.ndjson', 'after.ndjson']) {
      const { code, rows } = await cli.run('events', 'import', file, '--no-handlers', '--json');
      expect(code).toBe(0);
      expect(rows.map(({ outcome }) => outcome)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    }
    expect((await cli.run('events', 'list', '--json')).rows.map(({ repeats }) => repeats)).toEqual([0, 0, 0]);
    expect(bytesOf(cli.database)).not.toContain(CPF);
  });

  it('erases new lines of an erased person before they are stored', async () => {
    const cli = await seeded([indication(1)]);
    await cli.run(...erase);
    const lines = [
      JSON.stringify(indication(2)),
      JSON.stringify({ ...indication(3), data: { tax_id: CPF } }),
    ];
    writeFileSync(join(cli.folder, 'lines.ndjson'), lines.join('\n'));
    const { rows } = await cli.run('events', 'import', 'lines.ndjson', '--no-handlers', '--json');
    expect(rows).toMatchObject([
      { outcome: 'accepted', flags: ['no-handlers', 'erased'] },
      { outcome: 'quarantined' },
    ]);
    const again = await cli.run('events', 'import', 'lines.ndjson', '--no-handlers', '--json');
    expect(again.rows[0]).toMatchObject({ outcome: 'duplicate' });
    expect(bytesOf(cli.database)).not.toContain(CPF);
  });
});
