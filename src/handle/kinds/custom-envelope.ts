/** Finds type and payload in the bodies of a custom source, and writes such bodies. */
import type { Envelope } from '../../contract/contract.ts';
import {
  isJsonObject,
  memberAt,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../../kernel/json/json.ts';
import { plainJson, rejectPromise } from '../../kernel/json/plain-json.ts';
import type { EnvelopeOptions } from './source-definition.ts';

/** Creates the envelope of a custom source. */
export function customEnvelope({ type, data }: EnvelopeOptions, headers: readonly string[]): Envelope {
  const typePath = typeof type === 'string' ? type.split('.') : null;
  const dataPath = typeof data === 'string' ? stepsOf(data) : null;
  const header = typeof type === 'object' ? type.header.toLowerCase() : null;
  return {
    names: { type: nameOfType(type), data: nameOfData(data) },
    headers: [...headers.map((name) => name.toLowerCase()), ...(header === null ? [] : [header])],
    typePath,
    dataPath,
    type(body, sent) {
      if (typeof type === 'function') return kindOf(type(body, sent));
      return header === null ? memberAt(body, typePath ?? []) : sent[header];
    },
    data: (body) => (typeof data === 'function' ? payloadOf(data(body)) : memberAt(body, dataPath ?? [])),
    write(kind, payload) {
      if (dataPath === null || (typePath === null && header === null)) return undefined;
      const body = withMember({}, dataPath, payload);
      if (typePath !== null) return { body: withMember(body, typePath, kind), headers: {} };
      return { body, headers: header === null ? {} : { [header]: kind } };
    },
  };
}

/** As for received bodies: later steps walk the payload recursively. */
const MAX_DEPTH = 64;

/** Checks what a function returned: it is hashed and stored as JSON. */
function payloadOf(returned: unknown): JsonValue | undefined {
  return returned === undefined ? undefined : plainJson(returned, MAX_DEPTH);
}

function kindOf(returned: unknown): unknown {
  rejectPromise(returned);
  return returned;
}

function stepsOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('.');
}

function nameOfType(type: EnvelopeOptions['type']): string {
  if (typeof type === 'string') return type;
  return typeof type === 'function' ? 'the type' : `the header ${type.header}`;
}

function nameOfData(data: EnvelopeOptions['data']): string {
  if (typeof data === 'string') return data === '' ? 'the payload' : data;
  return 'the data';
}

/** Sets a member at a path, and keeps the others. An empty path merges the value's own members. */
function withMember(object: JsonObject, [step, ...rest]: readonly string[], value: JsonValue): JsonObject {
  if (step === undefined) return { ...object, ...(value as JsonObject) };
  const below = ownMember(object, step);
  const inner = isJsonObject(below) ? below : {};
  return { ...object, [step]: rest.length === 0 ? value : withMember(inner, rest, value) };
}
