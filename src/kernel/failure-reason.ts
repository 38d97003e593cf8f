/** Longest reason, in UTF-16 units: enough to find the fault, too little to fill a disk. */
const MAX_REASON = 2_000;
/** Longest part of a reason that one error of a chain may take. */
const MAX_PART = 600;
/** How many causes are followed. */
const DEEPEST_CAUSE = 5;
/** How many errors of an AggregateError are told. */
const MAX_ERRORS = 3;

/**
 * One line on why a handler failed, whatever it threw: the message, where it
 * was thrown, and its causes. Never throws, never longer than 2,000 characters.
 *
 * Of things that are no errors only the fields that usually tell something are
 * given: an object thrown by mistake is often the payload itself, and reasons
 * are stored and logged.
 */
export function failureReason(thrown: unknown): string {
  const reason = chain(thrown, DEEPEST_CAUSE, new Set());
  const where = origin(thrown);
  const place = where === undefined ? '' : ` (${where})`;
  return bounded(reason, MAX_REASON - place.length) + place;
}

function chain(thrown: unknown, deepest: number, seen: Set<unknown>): string {
  seen.add(thrown);
  const parts = [bounded(describe(thrown), MAX_PART)];
  const errors = read(thrown, 'errors');
  if (isError(thrown) && isArray(errors)) {
    const told = take(errors, MAX_ERRORS).filter((error) => !seen.has(error));
    const more = lengthOf(errors) - MAX_ERRORS;
    const list = told.map((error) => (deepest > 0 ? chain(error, deepest - 1, seen) : describe(error)));
    if (list.length > 0) parts.push(`[${list.join('; ')}${more > 0 ? `; and ${String(more)} more` : ''}]`);
  }
  const cause = read(thrown, 'cause');
  if (cause !== undefined && cause !== null && !seen.has(cause) && deepest > 0) {
    parts.push(`<- ${chain(cause, deepest - 1, seen)}`);
  }
  return parts.join(' ');
}

function describe(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown.trim() === '' ? 'threw an empty text' : oneLine(thrown);
  if (typeof thrown === 'function') return 'threw a function';
  if (typeof thrown !== 'object' || thrown === null) return `threw ${String(thrown)}`;
  const name = text(read(thrown, 'name')) ?? (isError(thrown) ? 'Error' : undefined);
  const code = text(read(thrown, 'code')) ?? text(read(thrown, 'status'));
  const message = text(read(thrown, 'message'));
  const mark = code === undefined ? '' : ` [${code}]`;
  if (message === undefined)
    return isError(thrown) ? `${name ?? ''}${mark}` : `threw ${name ?? 'an object'}${mark} without a message`;
  return name === undefined && mark === '' ? message : `${name ?? ''}${mark}: ${message}`.trimStart();
}

/** A field's value as text when it is one or a number; nothing else of it is looked at. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const line = oneLine(value);
  return line === '' ? undefined : line;
}

/** The innermost line of the stack that is somebody's own code, as an editor can open it. */
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

/** A property, for the sake of getters and proxies that throw. */
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

function take(list: readonly unknown[], most: number): unknown[] {
  try {
    return list.slice(0, most);
  } catch {
    return [];
  }
}

function lengthOf(list: readonly unknown[]): number {
  const length = read(list, 'length');
  return typeof length === 'number' ? length : 0;
}

/** Without line breaks, control characters and lone surrogates, which terminals and databases choke on. */
function oneLine(value: string): string {
  return value
    .slice(0, MAX_REASON * 2)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\u{FFFD}')
    .trim();
}

function bounded(value: string, longest: number): string {
  if (value.length <= longest) return value;
  // Half of a pair at the cut would be a lone surrogate.
  return `${value.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
