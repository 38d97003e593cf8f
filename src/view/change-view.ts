import { z } from 'zod';
import type { StoredEvent } from '../event/stored-event.ts';
import { compareNumbers } from '../kernel/json/exact-number.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { isSentNumber, type SentNumber } from '../kernel/json/sent-numbers.ts';
import type { Masking } from './unmasking.ts';

export const changeSchema = z
  .object({
    path: z.string().describe('The field, for example `data.status` or `data.sne.status`.'),
    from: z.unknown().optional().describe('Its value before; absent when the field did not exist.'),
    to: z.unknown().optional().describe('Its value after; absent when the field no longer exists.'),
  })
  .meta({ id: 'Change', description: 'One field that differs between two events of a subject.' });

export type ChangeView = z.infer<typeof changeSchema>;

type Value = JsonValue | undefined;

/** A payload to compare: as it is, and as it is shown. */
interface ComparedPayload {
  readonly whole: JsonValue;
  readonly shown: JsonValue;
}

/**
 * Lists the differences between two events' payloads by field: in the order of
 * the later event, then fields that it no longer has. Unmasked payloads are
 * compared, so a changed personal field is listed with masked values.
 */
export function changeViews(
  before: StoredEvent,
  after: StoredEvent,
  { unmask, contract }: Masking,
): ChangeView[] {
  const compared = ({ source, kind, data }: StoredEvent): ComparedPayload => ({
    whole: data,
    shown: unmask ? data : contract.mask(source, kind, data),
  });
  return changesBetween(compared(before), compared(after));
}

/** As {@link changeViews}, of payloads whose numbers may be as they were sent. Equal numbers may be spelled differently. */
export function changesBetween(before: ComparedPayload, after: ComparedPayload): ChangeView[] {
  return differingPaths(before.whole, after.whole, []).map((path) => {
    const from = path.reduce(step, before.shown);
    const to = path.reduce(step, after.shown);
    return {
      path: ['data', ...path].join('.'),
      ...(path.reduce<Value>(step, before.whole) !== undefined && { from }),
      ...(path.reduce<Value>(step, after.whole) !== undefined && { to }),
    };
  });
}

/** Paths of the innermost differences. Descends only where both sides are objects or both are arrays. */
function differingPaths(before: Value, after: Value, path: readonly string[]): (readonly string[])[] {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    return isContainer(before) || isContainer(after) || !isSame(before, after) ? [path] : [];
  }
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].flatMap((key) => differingPaths(own(before, key), own(after, key), [...path, key]));
}

function isSame(before: Value, after: Value): boolean {
  if (before === after) return true;
  if (!isNumber(before) || !isNumber(after)) return false;
  return compareNumbers(numberText(before), numberText(after)) === 0;
}

function isNumber(value: Value): value is number | SentNumber {
  return typeof value === 'number' || isSentNumber(value);
}

function numberText(value: number | SentNumber): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

/** One level down. A mask in place of an object stands for all its members. */
function step(value: Value, key: string): Value {
  return isContainer(value) ? own(value, key) : value;
}

function own(value: JsonObject, key: string): Value {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isContainer(value: Value): value is JsonObject {
  return typeof value === 'object' && value !== null && !isSentNumber(value);
}
