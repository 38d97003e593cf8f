/** Keeps the fields of a log line unique. */
import type { Logger } from '../kernel/logger.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Names that a line has of its own. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'msg']);

/**
 * The child of a pino logger, without names that occur twice in one line: pino writes the fields of a child and
 * of a line one after the other. A field of the line replaces one of the child. A field with the name of a part
 * of the line gets a trailing underscore, such as `level_`.
 */
export function childWithUniqueFields(parent: Logger, inherited: object): Logger {
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
