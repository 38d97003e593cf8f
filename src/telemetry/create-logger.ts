/** Creates the log of the process with pino. */
import { pino, type DestinationStream } from 'pino';
import { printable, printableLine } from '../kernel/text/printable.ts';
import type { Logger } from '../kernel/logger.ts';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly format: 'json' | 'pretty';
  /** Whether the log goes to a terminal. */
  readonly isTerminal: boolean;
  /** Whether lines for people have colours (default false). */
  readonly colors?: boolean;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
}

/**
 * Creates the log of the process: NDJSON, or lines for people. Fields may quote unknown senders, so control
 * characters are escaped before a terminal shows them.
 */
export async function createLogger(given: LoggerOptions): Promise<Logger> {
  const { level, format, isTerminal, destination } = given;
  const options = { level, base: null };
  const stream =
    format === 'pretty'
      ? escapedForReader(await prettyStream(given))
      : isTerminal
        ? escaped(destination)
        : destination;
  const log = stream === undefined ? pino(options) : pino(options, stream);
  // Without this type the compiler takes pino's logger for a possible promise.
  const root: Logger = log;
  return Object.assign(root, { child: (fields: object) => childWithUniqueFields(root, fields) });
}

/** JSON with the control characters escaped that JSON itself leaves raw. */
function escaped(destination: DestinationStream = pino.destination(1)): DestinationStream {
  return { write: (line) => destination.write(printable(line)) };
}

/** JSON whose escapes survive pino-pretty, which parses it. Line feeds stay: they separate a stack trace. */
function escapedForReader(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(escapedTwice(line)) };
}

function escapedTwice(line: string): string {
  return printable(line).replace(/\\(?:u[0-9a-f]{4}|.)/gi, (escape) =>
    /^\\[ubfrt]/.test(escape) ? `\\${escape}` : escape,
  );
}

async function prettyStream({ destination, colors = false }: LoggerOptions): Promise<DestinationStream> {
  const { build } = await import('pino-pretty');
  return build({
    colorize: colors,
    hideObject: true,
    messageFormat: (log, _key, _level, { colors: styles }) => readableLine(log, colors ? styles.dim : String),
    // Local time, and its offset from UTC.
    translateTime: 'SYS:HH:MM:ss.lo',
    ...(destination === undefined ? { sync: true } : { destination: destination as NodeJS.WritableStream }),
  });
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
      if (typeof fields === 'string') parent[level](renamed(inherited), fields);
      else if (fields instanceof Error)
        parent[level]({ ...renamed(inherited), err: fields }, message ?? fields.message);
      else parent[level](renamed({ ...inherited, ...(fields as object) }), message ?? '');
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
  const names = Object.keys(fields);
  if (!names.some((name) => RESERVED.has(name))) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [RESERVED.has(name) ? `${name}_` : name, value]),
  );
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
