import { createInterface } from 'node:readline';
import { printable } from '../kernel/text/printable.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Asks a question that only `y` or `yes` answers with yes; Ctrl-C and the end of input are no. */
export function confirm(terminal: Pick<Terminal, 'input' | 'err'>, question: string): Promise<boolean> {
  const lines = createInterface({ input: terminal.input, output: terminal.err.stream });
  return new Promise((resolve) => {
    const settle = (yes: boolean) => {
      resolve(yes);
      lines.close();
    };
    lines.on('SIGINT', () => settle(false));
    lines.on('close', () => settle(false));
    lines.question(`${printable(question)} [y/N] `, (answer) => settle(/^y(es)?$/i.test(answer.trim())));
  });
}
