/** The flags that select events, deliveries and quarantine entries. Flags given together must all match. */
import { Option, type Command } from 'commander';
import type { EventFlag } from '../../event/parsed-event.ts';
import type { RejectionReason } from '../../event/rejected-delivery.ts';
import type { Verdict } from '../../event/stored-event.ts';
import type { Subject } from '../../event/subject.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { DeliveryFilter, DeliveryStatus, EventFilter, QuarantineFilter } from '../../store/queries.ts';
import { repeatable } from './repeatable.ts';
import { momentParser, parseSubject } from './values.ts';

const deliveryStatuses: readonly DeliveryStatus[] = ['pending', 'running', 'succeeded', 'dead', 'skipped'];
const verdicts: readonly Verdict[] = ['new', 'stale', 'ambiguous'];
const eventFlags: readonly EventFlag[] = [
  'ambiguous',
  'confirmed',
  'superseded',
  'unconfirmed',
  'unrecognized',
  'check-digits',
  'released',
];
const rejectionReasons: readonly RejectionReason[] = ['malformed', 'invalid', 'conflict'];

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
      'received at or after this instant (ISO 8601) or age (15m, 2h, 3d)',
      parseMoment,
    )
    .option('--until <time>', 'received before this instant or age', parseMoment)
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

/** The parsed flags that select deliveries. */
export interface DeliveryFilterFlags {
  readonly status?: DeliveryStatus;
  readonly handler?: string;
  readonly event?: string;
  readonly subject?: Subject;
  readonly source?: string;
  readonly replay?: string;
  readonly id?: readonly string[];
}

export function addDeliveryFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'in this status').choices(deliveryStatuses))
    .option('--handler <name>', 'to this handler, machine or <machine>/effects')
    .option('--event <id>', 'of this event')
    .option('--subject <family:id>', 'of events about this subject, for example company:12', parseSubject)
    .option('--source <name>', 'of events from this source')
    .option('--replay <id>', 'enqueued by this replay, for example r3')
    .option('--id <id>', 'the delivery with this id, for example d12; repeatable', repeatable);
}

export function deliveryFilter(given: DeliveryFilterFlags): DeliveryFilter {
  return {
    ...(given.status && { status: given.status }),
    ...(given.handler !== undefined && { handler: given.handler }),
    ...(given.event !== undefined && { eventId: given.event }),
    ...(given.subject && { subject: given.subject }),
    ...(given.source !== undefined && { source: given.source }),
    ...(given.replay !== undefined && { replay: given.replay }),
    ...(given.id && { ids: given.id }),
  };
}

/** The parsed flags that select quarantine entries. */
export interface QuarantineFilterFlags {
  readonly reason?: RejectionReason;
  readonly kind?: string;
  readonly source?: string;
  readonly id?: readonly string[];
}

export function addQuarantineFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--reason <reason>', 'quarantined for this reason').choices(rejectionReasons))
    .option('--kind <kind>', 'of this kind')
    .option('--source <name>', 'from this source')
    .option('--id <id>', 'the entry with this id, for example q3; repeatable', repeatable);
}

export function quarantineFilter(given: QuarantineFilterFlags): QuarantineFilter {
  return {
    ...(given.reason && { reason: given.reason }),
    ...(given.kind !== undefined && { kind: given.kind }),
    ...(given.source !== undefined && { source: given.source }),
    ...(given.id && { ids: given.id }),
  };
}
