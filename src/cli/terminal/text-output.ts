import { printable } from '../../kernel/text/printable.ts';

/** Where text goes: standard output or standard error, or a test's memory. */
export interface TextOutput {
  readonly stream: NodeJS.WritableStream;
  /** Whether a person watches it: progress bars and width limits make sense. */
  readonly isTerminal: boolean;
  /** Characters in a line; Infinity where nothing limits it. */
  columns(): number;
}

/** The reader went away, as in `portaria events list | head -1`. Nothing is wrong. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** On its way to a person, whatever of it strangers wrote; files and pipes get it as it is. */
function shown({ isTerminal }: TextOutput, text: string): string {
  return isTerminal ? printable(text) : text;
}

/**
 * Resolves when the text is handed over, so that a slow reader slows the writer.
 *
 * @throws OutputClosed when nobody reads any more.
 */
export function writeText(output: TextOutput, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.stream.write(shown(output, text), (error) => {
      if (error) reject(new OutputClosed('the reader of the output is gone', { cause: error }));
      else resolve();
    });
  });
}

/** For text that nothing waits for; a reader that is gone does not matter. */
export function write(output: TextOutput, text: string): void {
  output.stream.write(shown(output, text), () => undefined);
}
