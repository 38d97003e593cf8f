/** Asks before a command changes something. */
import { createInterface } from 'node:readline';
import { PortariaError } from '../../kernel/errors.ts';
import { printable } from '../../kernel/text/printable.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import type { Terminal } from './terminal.ts';

/**
 * Asks whether to go on, unless `--yes` is given. A no sets the exit code.
 *
 * @throws PortariaError `invalid-argument` when there is no terminal to ask on
 */
export async function confirm(
  session: Session,
  question: string,
  { yes }: { readonly yes: boolean },
): Promise<boolean> {
  if (yes) return true;
  const { terminal } = session;
  if (!terminal.interactive)
    throw new PortariaError('invalid-argument', 'There is no terminal to ask on: add --yes to start');
  if (await askYesOrNo(terminal, question)) return true;
  session.exitCode = exitCode.interrupted;
  return false;
}

/** Asks a question. `y` or `yes` is yes; anything else, Ctrl-C and the end of input are no. */
function askYesOrNo({ input, err }: Pick<Terminal, 'input' | 'err'>, question: string): Promise<boolean> {
  const lines = createInterface({ input, output: err.stream });
  return new Promise((resolve) => {
    const finish = (yes: boolean) => {
      resolve(yes);
      lines.close();
    };
    lines.on('SIGINT', () => finish(false));
    lines.on('close', () => finish(false));
    lines.question(`${printable(question)} [y/N] `, (reply) => finish(/^y(es)?$/i.test(reply.trim())));
  });
}
