/** Writes text to a terminal, a pipe or a test, and notices a reader that has gone. */
import { printable } from '../../kernel/text/printable.ts';

/** An output for text: standard output, standard error, or the memory of a test. */
export interface TextOutput {
  readonly stream: NodeJS.WritableStream;
  /** Whether a person reads it, so that progress bars and width limits make sense. */
  readonly isTerminal: boolean;
  /** Whether it shows colours: a terminal that has them, without `NO_COLOR`. */
  readonly colors: boolean;
  /** Characters per line; Infinity without a limit. */
  columns(): number;
}

/** Thrown when the reader of an output has gone, as in `portaria events list | head -1`. It is not a failure. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/**
 * Writes text, with its control characters escaped: senders choose parts of it, and what a pipe or a file gets is shown
 * by a terminal later. Resolves when the stream has taken it, so that a slow reader slows the writer down.
 *
 * @throws OutputClosed when the reader has gone.
 */
export function writeText(output: TextOutput, text: string): Promise<void> {
  return writeEscaped(output, printable(text));
}

/** Does what {@link writeText} does with text whose control characters are all Portaria's own, such as colours. */
export function writeEscaped({ stream }: TextOutput, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(new OutputClosed('the reader of the output has gone', { cause: error }));
      else resolve();
    });
  });
}

/**
 * Writes a line beside the result, and waits for it. That nobody reads such lines, or that the disk of a log is full,
 * changes nothing of what a command does and how it ends.
 */
export async function writeNote(output: TextOutput, text: string): Promise<void> {
  await writeText(output, `${text}\n`).catch((error: unknown) => {
    if (!(error instanceof OutputClosed)) throw error;
  });
}

/** Writes text without waiting for it. A reader that has gone is ignored. */
export function write(output: TextOutput, text: string): void {
  output.stream.write(printable(text), () => undefined);
}
