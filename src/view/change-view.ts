import { z } from 'zod';
import type { StoredEvent } from '../event/stored-event.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
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
  const shown = (event: StoredEvent): Value =>
    unmask ? event.data : contract.mask(event.source, event.kind, event.data);
  return differingPaths(before.data, after.data, []).map((path) => {
    const from = path.reduce(step, shown(before));
    const to = path.reduce(step, shown(after));
    return {
      path: ['data', ...path].join('.'),
      ...(path.reduce<Value>(step, before.data) !== undefined && { from }),
      ...(path.reduce<Value>(step, after.data) !== undefined && { to }),
    };
  });
}

/** Paths of the innermost differences. Descends only where both sides are objects or both are arrays. */
function differingPaths(before: Value, after: Value, path: readonly string[]): (readonly string[])[] {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    return isContainer(before) || isContainer(after) || before !== after ? [path] : [];
  }
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].flatMap((key) => differingPaths(own(before, key), own(after, key), [...path, key]));
}

/** One level down. A mask in place of an object stands for all its members. */
function step(value: Value, key: string): Value {
  return isContainer(value) ? own(value, key) : value;
}

function own(value: JsonObject, key: string): Value {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isContainer(value: Value): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
