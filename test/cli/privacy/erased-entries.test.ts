import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliEnvironment } from '../kit/cli-environment.ts';

const CPF = '12345678909';

describe('a quarantine entry that was erased', () => {
  const wrong = {
    type: 'traffic-violation.indication.created',
    data: { id: 400, status: 'pending', tax_id: Number(CPF) },
  };
  const REORDERED = `{"data":{"tax_id":12345678909,"status":"pending","id":4e2},"type":"${wrong.type}"}`;
  const release = ['quarantine', 'release'] as const;

  async function erasedEntry() {
    const cli = cliEnvironment({});
    await cli.seed([wrong]);
    expect((await cli.run('privacy', 'erase', CPF, '--yes', '--reason', 'asked')).code).toBe(0);
    return cli;
  }

  it('is not released only because its erased payload is valid', async () => {
    const cli = await erasedEntry();
    const { rows } = await cli.run(...release, 'q1', '--json');
    expect(rows).toMatchObject([
      { id: 'q1', outcome: 'held', message: expect.stringContaining('--force') as string },
    ]);
    expect((await cli.run('events', 'list', '--json')).rows).toEqual([]);
  });

  it('does not stand for a webhook with another value', async () => {
    const cli = await erasedEntry();
    await cli.seed([{ ...wrong, data: { ...wrong.data, id: 401 } }, 'no JSON']);
    expect((await cli.run('quarantine', 'list', '--json')).rows).toHaveLength(3);
  });

  it('becomes an erased event by force, and its original does not come back', async () => {
    const cli = await erasedEntry();
    expect((await cli.run(...release, 'q1', '--force', '--json')).rows).toMatchObject([
      { outcome: 'released' },
    ]);
    const { rows } = await cli.run('events', 'list', '--json');
    expect(rows[0]).toMatchObject({ flags: expect.arrayContaining(['released', 'erased']) as unknown });
    await cli.seed([wrong, REORDERED, ` ${JSON.stringify(wrong)}`]);
    expect((await cli.run('quarantine', 'list', '--json')).rows).toMatchObject([{ id: 'q1', repeats: 3 }]);
    expect(readFileSync(cli.database, 'latin1')).not.toContain(CPF);
  });
});
