/** Log lines for people. */
import { printableLine } from '../kernel/text/printable.ts';

/** Fields that the line shows in another place, or that repeat its message. */
const HIDDEN: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'event_name', 'err']);

/** Text without quotes in a line. */
const PLAIN = /^[^\s"=]+$/;

/**
 * Formats a log object for people as one line: the message, then each field that the message does not name, as
 * `name=value`. Only the stack of an error follows on lines of its own.
 *
 * @param dim styles the fields
 */
export function readableLine(log: Readonly<Record<string, unknown>>, dim: (text: string) => string): string {
  const message = printableLine(typeof log['msg'] === 'string' ? log['msg'] : '');
  const fields = Object.entries(log)
    .filter(([name, value]) => !HIDDEN.has(name) && !isNamed(name, value, message))
    .map(([name, value]) => `${printableLine(name)}=${valueText(value)}`);
  const line = fields.length === 0 ? message : `${message}  ${dim(fields.join(' '))}`;
  return `${line}${stackText(log['err'])}`;
}

/** Whether the message already says it, or there is nothing to say. */
function isNamed(name: string, value: unknown, message: string): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (typeof value === 'string') return value.length > 2 && message.includes(value);
  return typeof value === 'number' && message.includes(`${name} ${String(value)}`);
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? printableLine(value) : quoted(value);
  return quoted(value);
}

function quoted(value: unknown): string {
  return printableLine(JSON.stringify(value));
}

function stackText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { readonly stack?: unknown; readonly message?: unknown };
  const text = typeof stack === 'string' ? stack : typeof message === 'string' ? message : '';
  return text
    .split('\n')
    .map((line) => `\n    ${printableLine(line.trim())}`)
    .join('');
}
