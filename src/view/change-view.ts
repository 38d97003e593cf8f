/** Differences between two payloads, as views show them. */
import { z } from 'zod';
import { MASK } from '../contract/personal-data.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { beginTimeSlice, type TimeSlice } from '../kernel/time/time-slice.ts';
import { differencesOf, isContainer, own, type Difference, type Value } from './differences.ts';
import type { Masking } from './payload/unmasking.ts';

export const changeSchema = z
  .object({
    path: z.string().describe('The field, for example `data.status` or `data.sne.status`.'),
    from: z.unknown().optional().describe('Its value before; absent when the field did not exist.'),
    to: z.unknown().optional().describe('Its value after; absent when the field no longer exists.'),
  })
  .meta({ id: 'Change', description: 'One field that differs between two events of a subject.' });

export type ChangeView = z.infer<typeof changeSchema>;

/** The first changes between two payloads. */
export interface Changes {
  readonly changes: readonly ChangeView[];
  /** How many follow; counted up to {@link MAX_COUNTED}. */
  readonly more: number;
}

/** Changes that are counted beyond those that are listed, at most. */
export const MAX_COUNTED = 10_000;

/** A payload to compare: as it is, and as it is shown. */
export interface ComparedPayload {
  whole(): Promise<JsonValue>;
  shown(): Promise<JsonValue>;
}

/**
 * Lists the differences between two events' payloads by field: in the order of
 * the later event, then fields that it no longer has. Unmasked payloads are
 * compared, so a changed personal field is listed with masked values.
 *
 * @param limit changes to list, at most
 */
export async function changeViews(
  before: StoredEvent,
  after: StoredEvent,
  { unmask, contract }: Masking,
  limit = Infinity,
): Promise<Changes> {
  const compared = ({ source, kind, data }: StoredEvent): ComparedPayload => ({
    whole: () => Promise.resolve(data),
    shown: () => Promise.resolve(unmask ? data : contract.mask(source, kind, data)),
  });
  return changesBetween(compared(before), compared(after), limit);
}

/**
 * As {@link changeViews}, of payloads whose numbers may be as they were sent. Equal numbers may be spelled
 * differently. Works in slices: two payloads can differ in hundreds of thousands of fields.
 */
export async function changesBetween(
  before: ComparedPayload,
  after: ComparedPayload,
  limit = Infinity,
): Promise<Changes> {
  const slice = beginTimeSlice();
  const whole = [await before.whole(), await after.whole()] as const;
  if (slice.isOver()) await slice.next();
  const { found, more } = await firstDifferences(whole, limit, slice);
  if (found.length === 0) return { changes: [], more };
  if (slice.isOver()) await slice.next();
  const from = await before.shown();
  if (slice.isOver()) await slice.next();
  const to = await after.shown();
  const changes: ChangeView[] = [];
  for (const { path, before: was, after: is } of found) {
    const visible = visiblePath(path, is === undefined ? from : to);
    const hides = visible.length < path.length;
    const change = {
      path: ['data', ...visible, ...(hides ? [MASK] : [])].join('.'),
      ...(was !== undefined && { from: hides ? MASK : valueAt(path, from) }),
      ...(is !== undefined && { to: hides ? MASK : valueAt(path, to) }),
    };
    // Many members with hidden names are one change.
    if (!hides || change.path !== changes.at(-1)?.path) changes.push(change);
  }
  return { changes, more };
}

async function firstDifferences(
  [before, after]: readonly [JsonValue, JsonValue],
  limit: number,
  slice: TimeSlice,
): Promise<{ readonly found: readonly Difference[]; readonly more: number }> {
  const found: Difference[] = [];
  let more = 0;
  for (const difference of differencesOf(before, after)) {
    if (difference === null) {
      if (slice.isOver()) await slice.next();
    } else if (found.length < limit) found.push(difference);
    else more += 1;
    if (more === MAX_COUNTED) break;
  }
  return { found, more };
}

/** The beginning of a path whose names a masked payload shows. */
function visiblePath(path: readonly string[], shown: JsonValue): readonly string[] {
  let value: Value = shown;
  for (const [index, name] of path.entries()) {
    if (!isContainer(value)) return path;
    if (!Object.hasOwn(value, name)) return path.slice(0, index);
    value = own(value, name);
  }
  return path;
}

/** The value at a path. A mask in place of an object stands for all its members. */
function valueAt(path: readonly string[], shown: JsonValue): Value {
  let value: Value = shown;
  for (const name of path) {
    if (!isContainer(value)) return value;
    if (!Object.hasOwn(value, name)) return MASK;
    value = own(value, name);
  }
  return value;
}
