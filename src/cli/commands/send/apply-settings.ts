/** Changes a body by `send --set path=value`. */
import type { Envelope } from '../../../contract/contract.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import { sentJson, withSentNumbers } from '../../../kernel/json/sent-numbers.ts';
import { decodeJsonText } from '../../../parse/read-json.ts';

/**
 * Applies `--set path=value` changes to a body. A value that parses as JSON (`7`, `true`, `null`,
 * `{"a":1}`) is that JSON, else a string; digits stay a string where the body has one, as in a tax id.
 * `{n}` in it is the number of the send. Without changes the bytes stay as they are.
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
    assign(envelope, setting.slice(0, equals).split('.'), value);
  }
  return Buffer.from(sentJson(envelope));
}

/**
 * Checks that the receiver reads what `--set` changes: paths outside of type and payload would be ignored. The
 * paths of an envelope that a function reads are not known, so all are accepted.
 *
 * @throws PortariaError `invalid-argument`, with the path that was meant
 */
export function checkPaths(settings: readonly string[], source: string, envelope: Envelope): void {
  const { dataPath, typePath, names, headers } = envelope;
  if (dataPath === null || (typePath === null && headers.length === 0)) return;
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    // Other mistakes of a setting are found when it is applied.
    if (equals < 1) continue;
    const path = setting.slice(0, equals).split('.');
    if (areRelated(path, dataPath) || (typePath !== null && areRelated(path, typePath))) continue;
    const field = path.length > 1 || PAYLOADS.includes(path[0] ?? '') ? path.slice(1) : path;
    const meant = [...dataPath, ...field].join('.');
    throw new PortariaError(
      'invalid-argument',
      `--set ${path.join('.')} is not in the envelope of source ${source} (${names.type} and ${names.data}); did you mean ${meant}?`,
    );
  }
}

/** Usual names of the payload in an envelope. */
const PAYLOADS: readonly string[] = ['data', 'payload'];

/** Whether one path is within the other. */
function areRelated(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.every((step, at) => step === long[at]);
}

function parseObject(body: Uint8Array): object {
  try {
    const value: unknown = parseJson(decodeJsonText(body) ?? '');
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The error below covers both cases.
  }
  throw new PortariaError('invalid-argument', '--set needs a body that is a JSON object');
}

function jsonOrString(value: string, present: unknown): unknown {
  if (typeof present === 'string' && /^\d+$/u.test(value)) return value;
  try {
    return withSentNumbers(parseJson(value), value);
  } catch {
    return value;
  }
}

/** Sets the value at a path, and creates the objects on the way that do not exist. */
function assign(root: object, path: readonly string[], text: string): void {
  let at = root as Record<string, unknown>;
  for (const name of path.slice(0, -1)) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    const inner = typeof next === 'object' && next !== null ? next : {};
    define(at, name, inner);
    at = inner as Record<string, unknown>;
  }
  const last = path.at(-1) ?? '';
  define(at, last, jsonOrString(text, Object.hasOwn(at, last) ? at[last] : undefined));
}

/** Defines `__proto__` as an ordinary field, as JSON.parse does. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
