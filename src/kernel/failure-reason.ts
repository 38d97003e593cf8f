/** Describes what was thrown, in one line. */
import { maskText } from './text/scrub.ts';

/** Length of a reason in UTF-16 code units: enough to find the fault, too little to fill a disk. */
const MAX_REASON = 2_000;
/** Length of the part of a reason that describes one error of a chain. */
const MAX_PART = 600;
/** Length of what a reason quotes of a response. */
const MAX_RESPONSE = 200;
/** Length of a JSON text that is read for what it says. */
const MAX_JSON = 65_536;
/** Length of the chain of causes that is followed. */
const MAX_CAUSES = 5;
/** Errors of an AggregateError that are listed. */
const MAX_ERRORS = 3;

/**
 * Describes anything that was thrown in one line: its message, the response that a client attached to it, the line of
 * code that threw it, and its causes.
 * Never throws, and returns at most 2,000 characters.
 *
 * Of a value that is not an error it includes only name, code and message. Such a value is often the payload
 * itself, and reasons are stored and logged.
 */
export function failureReason(thrown: unknown): string {
  const reason = chain(thrown, MAX_CAUSES, new Set());
  const where = origin(thrown);
  const suffix = where === undefined ? '' : ` (${where})`;
  return bounded(reason, MAX_REASON - suffix.length) + suffix;
}

function chain(thrown: unknown, causes: number, seen: Set<unknown>): string {
  seen.add(thrown);
  const parts = [bounded(describe(thrown), MAX_PART)];
  const said = isError(thrown) ? responseText(read(thrown, 'response')) : undefined;
  if (said !== undefined) parts.push(`[response ${said}]`);
  const errors = read(thrown, 'errors');
  if (isError(thrown) && isArray(errors)) {
    const listed = take(errors, MAX_ERRORS).filter((error) => !seen.has(error));
    const more = lengthOf(errors) - MAX_ERRORS;
    const list = listed.map((error) => (causes > 0 ? chain(error, causes - 1, seen) : describe(error)));
    if (list.length > 0) parts.push(`[${list.join('; ')}${more > 0 ? `; and ${String(more)} more` : ''}]`);
  }
  const cause = read(thrown, 'cause');
  if (cause !== undefined && cause !== null && !seen.has(cause) && causes > 0) {
    parts.push(`<- ${chain(cause, causes - 1, seen)}`);
  }
  return parts.join(' ');
}

function describe(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown.trim() === '' ? 'threw an empty string' : oneLine(thrown);
  if (typeof thrown === 'function') return 'threw a function';
  if (typeof thrown !== 'object' || thrown === null) return `threw ${String(thrown)}`;
  const name = scalar(read(thrown, 'name')) ?? (isError(thrown) ? 'Error' : undefined);
  const code = scalar(read(thrown, 'code')) ?? scalar(read(thrown, 'status'));
  const message = scalar(read(thrown, 'message'));
  const mark = code === undefined ? '' : ` [${code}]`;
  if (message === undefined)
    return isError(thrown) ? `${name ?? ''}${mark}` : `threw ${name ?? 'an object'}${mark} without a message`;
  return name === undefined && mark === '' ? message : `${name ?? ''}${mark}: ${message}`.trimStart();
}

/** What a client's library attached of the response: its status, and the beginning of its body, masked. */
function responseText(response: unknown): string | undefined {
  const status = scalar(read(response, 'status')) ?? scalar(read(response, 'statusCode'));
  const body = bodyText(read(response, 'data') ?? read(response, 'body'));
  const parts = [status, body].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(': ');
}

/** The fields of a JSON body that say what is wrong. Others may repeat what was sent. */
const SAYS = ['code', 'error', 'title', 'message', 'detail'];

function bodyText(body: unknown): string | undefined {
  try {
    const value = parsed(body);
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return undefined;
    const error = read(value, 'error');
    const said =
      typeof value === 'string'
        ? value
        : [value, error].flatMap((each) => SAYS.flatMap((name) => scalar(read(each, name)) ?? [])).join(' ');
    // Masked before it is cut: half of a number is not recognized.
    const shown = maskText(oneLine(said.slice(0, 4 * MAX_RESPONSE)));
    return shown === '' ? undefined : bounded(shown, MAX_RESPONSE);
  } catch {
    return undefined;
  }
}

function parsed(body: unknown): unknown {
  if (typeof body !== 'string' || !/^\s*[{[]/u.test(body)) return body;
  try {
    return body.length > MAX_JSON ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns a string or a number as a string; undefined for any other value. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const line = oneLine(value);
  return line === '' ? undefined : line;
}

/** Returns the innermost stack frame outside of Node and packages, in a form that editors can open. */
function origin(thrown: unknown): string | undefined {
  const stack = read(thrown, 'stack');
  if (typeof stack !== 'string') return undefined;
  const frames = stack
    .slice(0, 20_000)
    .split('\n')
    .filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line));
  const own = frames.find((line) => !/\bnode:|[\\/]node_modules[\\/]/.test(line));
  return own === undefined ? undefined : bounded(oneLine(own).replace('file://', ''), 300);
}

/** Reads a property; undefined when a getter or a proxy throws. */
function read(holder: unknown, property: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  try {
    return (holder as Record<string, unknown>)[property];
  } catch {
    return undefined;
  }
}

function isError(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** `Array.isArray` throws for a revoked proxy. */
function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function take(list: readonly unknown[], max: number): unknown[] {
  try {
    return list.slice(0, max);
  } catch {
    return [];
  }
}

function lengthOf(list: readonly unknown[]): number {
  const length = read(list, 'length');
  return typeof length === 'number' ? length : 0;
}

/** Replaces line breaks, control characters and lone surrogates, which break terminals and databases. */
function oneLine(value: string): string {
  return value
    .slice(0, MAX_REASON * 2)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\u{FFFD}')
    .trim();
}

function bounded(value: string, maxLength: number): string {
  if (value.length <= maxLength) return value;
  // Drops half of a surrogate pair at the cut.
  return `${value.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Longer names are no names of error classes. */
const NAME = /^[A-Za-z_$][\w$]{0,59}$/;

/**
 * Returns the name of an error's class, for places that must not show what was sent: a message may quote it.
 * Never throws.
 */
export function errorName(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return 'it threw no error';
    const { name } = thrown as { readonly name: unknown };
    return typeof name === 'string' && NAME.test(name) ? name : 'Error';
  } catch {
    // A proxy or a getter of the error failed.
    return 'Error';
  }
}
