import { Option, type Command } from 'commander';
import type { EventFlag } from '../../event/event.ts';
import type { Verdict } from '../../event/stored-event.ts';
import type { Subject } from '../../event/subject.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { DeliveryStatus, EventFilter } from '../../store/queries.ts';
import { deliveryStatuses } from './delivery-status.ts';
import { momentParser } from './moment.ts';
import { repeatable } from './repeatable.ts';
import { parseSubject } from './subject.ts';

/** What commander makes of the flags that choose events. */
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

const verdicts: readonly Verdict[] = ['new', 'stale', 'ambiguous'];
const flags: readonly EventFlag[] = [
  'ambiguous',
  'confirmed',
  'superseded',
  'unconfirmed',
  'unrecognized',
  'check-digits',
  'released',
];

/** The flags by which events are chosen, the same wherever events are. All given must hold. */
export function addEventFilterOptions(command: Command, clock: Clock): Command {
  const moment = momentParser(clock);
  return command
    .option('--kind <kind>', 'a kind, or a wildcard such as company.*; repeatable', repeatable)
    .option('--subject <family:id>', 'of this subject, for example company:12', parseSubject)
    .option('--source <name>', 'from this source')
    .addOption(new Option('--verdict <verdict>', 'with this verdict').choices(verdicts))
    .addOption(new Option('--flag <flag>', 'with this flag').choices(flags))
    .option('--since <time>', 'received at or after: an ISO instant, or 15m, 2h, 3d ago', moment)
    .option('--until <time>', 'received before', moment)
    .addOption(new Option('--status <status>', 'with a delivery in this status').choices(deliveryStatuses))
    .option('--id <id>', 'this event, by full id or number; repeatable', repeatable);
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
