/** The flags that select events. Flags given together must all match. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { normalizeInstant } from '../../contract/instant.ts';
import { eventFlags, type EventFlag } from '../../event/event.ts';
import { verdicts, type Verdict } from '../../event/stored-event.ts';
import type { Subject } from '../../event/subject.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { parseDuration } from '../../kernel/time/durations.ts';
import type { DeliveryStatus, EventFilter } from '../../store/queries.ts';
import { isLocalTime, readLocalTime } from '../output/local-time.ts';
import { deliveryStatuses } from './filters.ts';
import { repeatable } from './repeatable.ts';
import { parseSubject } from './values.ts';

/** The parsed flags that select events. */
export interface EventFilterFlags {
  readonly kind?: readonly string[];
  readonly subject?: Subject;
  readonly source?: string;
  readonly since?: number;
  readonly until?: number;
  readonly status?: DeliveryStatus;
  readonly id?: readonly string[];
  readonly verdict?: Verdict;
  readonly flag?: EventFlag;
}

export function addEventFilterOptions(command: Command, clock: Clock): Command {
  const parseMoment = momentParser(clock);
  return command
    .option('--kind <kind>', 'this kind, or a wildcard such as company.*; repeatable', repeatable)
    .option('--subject <family:id>', 'about this subject, for example company:12', parseSubject)
    .option('--source <name>', 'from this source')
    .addOption(new Option('--verdict <verdict>', 'with this verdict').choices(verdicts))
    .addOption(new Option('--flag <flag>', 'with this flag').choices(eventFlags))
    .option(
      '--since <time>',
      'received at or after this time (local, unless it has a zone; ISO 8601) or age (15m, 2h, 3d)',
      parseMoment,
    )
    .option('--until <time>', 'received before this time or age', parseMoment)
    .addOption(new Option('--status <status>', 'with a delivery in this status').choices(deliveryStatuses))
    .option('--id <id>', 'the event with this id or number; repeatable', repeatable);
}

export function eventFilter(given: EventFilterFlags): EventFilter {
  return {
    ...(given.id && { ids: given.id }),
    ...(given.kind && { kinds: given.kind }),
    ...(given.subject && { subject: given.subject }),
    ...(given.source !== undefined && { source: given.source }),
    ...(given.verdict && { verdict: given.verdict }),
    ...(given.flag && { flag: given.flag }),
    ...(given.since !== undefined && { since: given.since }),
    ...(given.until !== undefined && { until: given.until }),
    ...(given.status && { status: given.status }),
  };
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
