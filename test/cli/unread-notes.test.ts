/** Commands whose standard error cannot be written: a full disk under a log, or a reader that has gone. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';
import { capturedTerminal } from './kit/captured-terminal.ts';
import { cliEnvironment } from './kit/cli-environment.ts';

const CPF = '12345678909';
const indication = {
  type: 'traffic-violation.indication.created',
  data: { id: 1, status: 'pending', tax_id: CPF, name: 'Ana de Souza Prado' },
};

/** A command line whose standard error takes nothing. */
function unheard() {
  const cli = cliEnvironment();
  const run = (...args: string[]) => {
    const terminal = capturedTerminal({ cwd: cli.folder, clock: cli.clock, env: cli.env });
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('no space left on device')),
    });
    stream.on('error', () => undefined);
    return runCli(args, { ...terminal, err: { ...terminal.err, stream } });
  };
  return { ...cli, run };
}

it('what fails keeps its exit code', async () => {
  const { seed, run } = unheard();
  await seed([indication]);
  expect(await run('privacy', 'hold', 'remove', 'user:404')).toBe(3);
});

it('an erasure writes its receipt', async () => {
  const { seed, run, folder } = unheard();
  await seed([indication]);
  const receipt = join(folder, 'receipt.json');
  expect(await run('privacy', 'erase', CPF, '--yes', '--reason', 'request 17', '--receipt', receipt)).toBe(0);
  expect(existsSync(receipt)).toBe(true);
  expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ erasure: 'x1', rows_left: 0 });
});
