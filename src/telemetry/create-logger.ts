/** Creates the log of the process with pino. */
import { pino, type DestinationStream } from 'pino';
import { printable, printableLine } from '../kernel/text/printable.ts';
import { isCredential, maskCredentials, maskText } from '../kernel/text/scrub.ts';
import { standardOutput } from './standard-output.ts';
import type { Logger } from '../kernel/logger.ts';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly format: 'json' | 'pretty';
  /** Whether lines for people have colours (default false). */
  readonly colors?: boolean;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
}

/**
 * Creates the log of the process: NDJSON, or lines for people. Fields may quote unknown senders, so control
 * characters are escaped: a terminal may show the log of a file or of `docker logs`, too.
 *
 * What handlers log by a child has no credentials, as far as they can be recognized.
 */
export async function createLogger(given: LoggerOptions): Promise<Logger> {
  const { format, destination = standardOutput() } = given;
  const options = { level: given.level, base: null, serializers: { err: loggedError } };
  const write = format === 'pretty' ? await prettyWriter(given) : printable;
  const root: Logger = pino(options, { write: (line) => destination.write(write(line)) });
  return Object.assign(root, { child: (fields: object) => childWithUniqueFields(root, fields) });
}

/** What the log has of an error. Libraries attach the request to theirs, with its headers and body. */
function loggedError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { type, message, stack, code } = pino.stdSerializers.err(thrown);
  const errors =
    thrown instanceof AggregateError ? { errors: thrown.errors.map((one) => loggedValue('', one)) } : {};
  return { type, message: maskText(message), stack: maskText(stack), code: code as unknown, ...errors };
}

/** The levels of a field that are logged. */
const MAX_DEPTH = 6;

/**
 * What the log has of a field of a handler: no credentials, and of errors what {@link loggedError} says, at any
 * depth. Masked before it is JSON: a pattern knows no end of a text in JSON.
 */
function loggedValue(name: string, value: unknown, within: readonly unknown[] = []): unknown {
  if (value instanceof Error) return loggedError(value);
  if (typeof value === 'string' || typeof value === 'number')
    return isCredential(name) ? '<secret>' : typeof value === 'string' ? maskCredentials(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (within.includes(value)) return '[Circular]';
  if (within.length === MAX_DEPTH) return '[Object]';
  const inside = [...within, value];
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return loggedValue(name, Reflect.apply(value.toJSON, value, [name]) as unknown, inside);
  if (Array.isArray(value)) return value.map((item) => loggedValue(name, item, inside));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, loggedValue(key, item, inside)]),
  );
}

/** JSON whose escapes survive pino-pretty, which parses it. Line feeds stay: they separate a stack trace. */
function escapedTwice(line: string): string {
  return printable(line).replace(/\\(?:u[0-9a-f]{4}|.)/gi, (escape) =>
    /^\\[ubfrt]/.test(escape) ? `\\${escape}` : escape,
  );
}

async function prettyWriter({ colors = false }: LoggerOptions): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: colors,
    hideObject: true,
    messageFormat: (log, _key, _level, { colors: styles }) => readableLine(log, colors ? styles.dim : String),
    // Local time, and its offset from UTC.
    translateTime: 'SYS:HH:MM:ss.lo',
  });
  return (line) => pretty(escapedTwice(line));
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Names that a line has of its own. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg']);

/**
 * The child of a pino logger, without names that occur twice in one line: pino writes the fields of a child and
 * of a line one after the other. A field of the line replaces one of the child. A field with the name of a part
 * of the line gets a trailing underscore, such as `level_`.
 */
function childWithUniqueFields(parent: Logger, inherited: object): Logger {
  const write =
    (level: (typeof LEVELS)[number]) =>
    (fields: unknown, message?: string): void => {
      if (parent.isLevelEnabled?.(level) === false) return;
      if (typeof fields === 'string') parent[level](renamed(inherited), maskCredentials(fields));
      else if (fields instanceof Error)
        parent[level](
          { ...renamed(inherited), err: fields },
          maskCredentials(message ?? maskText(fields.message)),
        );
      else parent[level](renamed({ ...inherited, ...(fields as object) }), maskCredentials(message ?? ''));
    };
  const [debug, info, warn, error] = LEVELS.map(write) as [Write, Write, Write, Write];
  return {
    debug,
    info,
    warn,
    error,
    child: (fields) => childWithUniqueFields(parent, { ...inherited, ...fields }),
    isLevelEnabled: (level) => parent.isLevelEnabled?.(level) !== false,
  };
}

type Write = (fields: unknown, message?: string) => void;

function renamed(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      RESERVED.has(name) ? `${name}_` : name,
      loggedField(name, value),
    ]),
  );
}

/** A getter or `toJSON` that throws does not fail the handler that logs. */
function loggedField(name: string, value: unknown): unknown {
  try {
    return loggedValue(name, value);
  } catch {
    return '[not readable]';
  }
}

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
function readableLine(log: Readonly<Record<string, unknown>>, dim: (text: string) => string): string {
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
