/** The flags that select events. Flags given together must all match. */
import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import { normalizeInstant } from '../../contract/instant.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { parseDuration } from '../../kernel/time/durations.ts';
import type { EventFilter } from '../../store/queries.ts';
import {
  eventConditionsWith,
  eventFilter as filterOf,
  type instantParameter,
} from '../../view/parameters/conditions.ts';
import { isLocalTime, readLocalTime } from '../output/local-time.ts';
import { addConditions } from './conditions.ts';
import { repeatable } from './repeatable.ts';

/** What the help says of a time. */
export const TIME = 'a local time unless it has a zone (ISO 8601), or an age (15m, 2h, 3d)';

/** The parsed flags that select events. */
export interface EventFilterFlags extends z.output<z.ZodObject<ReturnType<typeof eventConditionsWith>>> {
  readonly id?: readonly string[];
  readonly company?: string;
}

export function addEventFilterOptions(command: Command, clock: Clock): Command {
  return addConditions(command, eventConditionsWith(momentParameter(clock), TIME)).option(
    '--id <id>',
    'the event with this id or number; repeatable',
    repeatable,
  );
}

export function eventFilter(given: EventFilterFlags): EventFilter {
  return { ...(given.id && { ids: given.id }), ...filterOf(given) };
}

/** A time of a condition, as {@link momentParser} reads it. */
export function momentParameter(clock: Clock): typeof instantParameter {
  return z.string().transform(momentParser(clock));
}

/**
 * Returns the parser of `--since` and `--until`: an ISO 8601 date or instant
 * (local time unless it has an offset), or an age: `90s`, `15m`, `2h`, `3d`, `1w`.
 *
 * @returns a parser that gives milliseconds since 1970.
 */
export function momentParser(clock: Clock): (value: string) => number {
  return (value) => {
    const age = parseDuration(value);
    if (age !== undefined) return clock.now() - age;
    const local = readLocalTime(value);
    if (local !== null) return local;
    const instant = isLocalTime(value) ? null : normalizeInstant(value.replace(' ', 'T'));
    if (instant === null)
      throw new InvalidArgumentError(
        'Write a local time (2026-11-21, 2026-11-21 04:00), an instant with its zone (2026-11-21T04:00:00Z, 2026-11-21 04:00:00-03) or an age (15m, 2h, 3d). A local time that the clock skips when it is set forward needs its zone.',
      );
    return Date.parse(`${instant.slice(0, 23)}Z`);
  };
}
