import { PortariaError } from '../../../kernel/errors.ts';

/**
 * Applies `--set path=value` changes to a body. A value that parses as JSON (`7`, `true`, `null`,
 * `{"a":1}`) is that JSON, else a string; `{n}` in it is the number of the send. Without changes the
 * bytes stay as they are.
 *
 * @throws PortariaError `invalid-argument`
 */
export function applySettings(body: Uint8Array, settings: readonly string[], n: number): Uint8Array {
  if (settings.length === 0) return body;
  const envelope = parseObject(body);
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    if (equals < 1) throw new PortariaError('invalid-argument', `--set takes path=value, not ${setting}`);
    const value = setting.slice(equals + 1).replaceAll('{n}', String(n));
    assign(envelope, setting.slice(0, equals).split('.'), jsonOrString(value));
  }
  return Buffer.from(JSON.stringify(envelope));
}

function parseObject(body: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The error below covers both cases.
  }
  throw new PortariaError('invalid-argument', '--set needs a body that is a JSON object');
}

function jsonOrString(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Sets the value at a path, and creates the objects on the way that do not exist. */
function assign(root: object, path: readonly string[], value: unknown): void {
  let at = root as Record<string, unknown>;
  for (const name of path.slice(0, -1)) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    const inner = typeof next === 'object' && next !== null ? next : {};
    define(at, name, inner);
    at = inner as Record<string, unknown>;
  }
  define(at, path.at(-1) ?? '', value);
}

/** Defines `__proto__` as an ordinary field, as JSON.parse does. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
