/** Records of processes and of their handlers as rows. */
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
  readonly type: 'kind' | 'source';
  readonly name: string;
  /** Empty for a kind of every source, and for a source. */
  readonly source: string;
  readonly origin: string;
  readonly hash: string;
}

export function definitionsOf(rows: readonly DefinitionRow[]): readonly KnownDefinition[] {
  return rows.map(({ source, ...row }) => ({ ...row, source: source === '' ? null : source }));
}

/** A broken record must not stop the commands that read it. Null: it is none of this version's records. */
function recordedHandlers(text: string): readonly RecordedHandler[] | null {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) && found.every(isRecordedHandler) ? found : null;
  } catch {
    return null;
  }
}

function isRecordedHandler(value: unknown): value is RecordedHandler {
  if (typeof value !== 'object' || value === null) return false;
  const { name, type, on, order, retry, breaker, effects } = value as Partial<Record<string, unknown>>;
  return (
    typeof name === 'string' &&
    (type === 'handler' || type === 'machine') &&
    isTexts(on) &&
    typeof order === 'string' &&
    typeof retry === 'object' &&
    retry !== null &&
    typeof breaker === 'object' &&
    breaker !== null &&
    isTexts(effects)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
