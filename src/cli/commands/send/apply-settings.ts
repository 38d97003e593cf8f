import { PortariaError } from '../../../kernel/errors.ts';

/**
 * The body with `path=value` changes applied. A value is JSON where it can be
 * read as JSON (`7`, `true`, `null`, `{"a":1}`), else text; `{n}` in it is the
 * number of the send. Without changes the bytes stay as they are.
 *
 * @throws PortariaError `invalid-argument`
 */
export function applySettings(body: Uint8Array, settings: readonly string[], n: number): Uint8Array {
  if (settings.length === 0) return body;
  const envelope = parsed(body);
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    if (equals < 1) throw new PortariaError('invalid-argument', `--set takes path=value, not ${setting}`);
    const value = setting.slice(equals + 1).replaceAll('{n}', String(n));
    assign(envelope, setting.slice(0, equals).split('.'), jsonOrText(value));
  }
  return Buffer.from(JSON.stringify(envelope));
}

function parsed(body: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below.
  }
  throw new PortariaError('invalid-argument', '--set needs a body that is a JSON object');
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Makes objects on the way where there are none. */
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

/** As JSON.parse does it: `__proto__` is a field like any other. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
