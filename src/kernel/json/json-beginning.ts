/** Shows large values by the beginning of their JSON. */
import { isSentNumber } from './sent-numbers.ts';

/**
 * Writes the beginning of a value as JSON, with `…` where it is cut. Reads no more of the value than it writes.
 *
 * @param max characters, at most
 */
export function jsonBeginning(value: unknown, max: number): string {
  let text = '';
  const isFull = (): boolean => text.length > max;

  function write(part: unknown): void {
    if (typeof part === 'string') text += JSON.stringify(part.slice(0, max + 1));
    else if (typeof part !== 'object' || part === null || isSentNumber(part)) text += JSON.stringify(part);
    else if (Array.isArray(part)) writeMembers('[', Object.keys(part), part as never, ']');
    else writeMembers('{', Object.keys(part), part as never, '}');
  }

  function writeMembers(
    open: string,
    names: readonly string[],
    members: Readonly<Record<string, unknown>>,
    close: string,
  ): void {
    text += open;
    for (const [index, name] of names.entries()) {
      if (isFull()) return;
      if (index > 0) text += ',';
      if (open === '{') text += `${JSON.stringify(name.slice(0, max + 1))}:`;
      write(members[name]);
    }
    text += close;
  }

  write(value);
  return isFull() ? `${text.slice(0, max)}…` : text;
}
