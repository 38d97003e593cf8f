/** Records of processes and of their handlers as rows. */
import { isJsonObject } from '../../kernel/json/json.ts';
import type { HandlerProcess, KnownDefinition, RecordedHandler } from '../processes.ts';

export interface ProcessRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly started_at: number;
  readonly handlers: string;
}

/** Leaves out records of a version that writes others. */
export function processesOf(rows: readonly ProcessRow[]): readonly HandlerProcess[] {
  return rows.flatMap(({ id, host, pid, version, started_at: startedAt, handlers: text }) => {
    const handlers = recordedHandlers(text);
    return handlers === null ? [] : [{ id, host, pid, version, startedAt, handlers }];
  });
}

export interface DefinitionRow {
  readonly type: KnownDefinition['type'];
  readonly name: string;
  /** Empty where a definition is of every source. */
  readonly source: string;
  readonly origin: string;
  readonly hash: string;
}

export function definitionsOf(rows: readonly DefinitionRow[]): readonly KnownDefinition[] {
  return rows.map(({ source, ...row }) => ({ ...row, source: source === '' ? null : source }));
}

/** What a process has recorded of its kinds and sources. */
export interface RecordedDefinitions {
  readonly known: readonly KnownDefinition[];
  /** Whether the record says all that the process knows: one of another version may say it otherwise, or not at all. */
  readonly isWhole: boolean;
}

/** Leaves out definitions of a version that writes others. */
export function recordedDefinitions(text: string | null): RecordedDefinitions {
  const found = text === null ? undefined : parsed(text);
  if (!Array.isArray(found)) return { known: [], isWhole: false };
  const known = found.filter(isDefinition).map(({ type, name, source, origin, hash }) => ({
    ...{ type, name, source, origin, hash },
  }));
  return { known, isWhole: known.length === found.length };
}

function isDefinition(value: unknown): value is KnownDefinition {
  if (!isJsonObject(value)) return false;
  const { type, name, source, origin, hash } = value;
  return (
    (type === 'kind' || type === 'source' || type === 'handler') &&
    isTexts([name, origin, hash]) &&
    (source === null || typeof source === 'string')
  );
}

/** A broken record must not stop the commands that read it. Null: it is none of this version's records. */
function recordedHandlers(text: string): readonly RecordedHandler[] | null {
  const found = parsed(text);
  return Array.isArray(found) && found.every(isRecordedHandler) ? found : null;
}

/** Undefined: it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecordedHandler(value: unknown): value is RecordedHandler {
  if (!isJsonObject(value)) return false;
  const { name, type, on, order, retry, breaker, effects } = value;
  return (
    typeof name === 'string' &&
    (type === 'handler' || type === 'machine') &&
    isTexts(on) &&
    typeof order === 'string' &&
    isJsonObject(retry) &&
    isJsonObject(breaker) &&
    isTexts(effects)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
