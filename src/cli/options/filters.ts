/** The flags that select deliveries and quarantine entries. Flags given together must all match. */
import { Option, type Command } from 'commander';
import type { RejectionReason } from '../../event/delivery.ts';
import type { Subject } from '../../event/subject.ts';
import type { DeliveryFilter, DeliveryStatus, QuarantineFilter } from '../../store/queries.ts';
import { repeatable } from './repeatable.ts';
import { parseFingerprint, parseSubject } from './values.ts';

export const deliveryStatuses: readonly DeliveryStatus[] = [
  'pending',
  'running',
  'succeeded',
  'dead',
  'skipped',
];
/** Why a webhook can be in quarantine. */
export const rejectionReasons: readonly RejectionReason[] = ['malformed', 'invalid', 'conflict'];

/** The parsed flags that select deliveries. */
export interface DeliveryFilterFlags {
  readonly status?: DeliveryStatus;
  readonly handler?: string;
  readonly event?: string;
  readonly subject?: Subject;
  readonly source?: string;
  readonly replay?: string;
  readonly error?: string;
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
    .option(
      '--error <error>',
      'dead or unfinished, with this kind of error (see `portaria failures`)',
      parseFingerprint,
    )
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
    ...(given.error !== undefined && { error: given.error }),
    ...(given.id && { ids: given.id }),
  };
}

/** The parsed flags that select quarantine entries. */
export interface QuarantineFilterFlags {
  readonly reason?: RejectionReason;
  readonly kind?: string;
  readonly source?: string;
  readonly problem?: string;
  readonly id?: readonly string[];
}

export function addQuarantineFilterOptions(command: Command): Command {
  return addEntryOptions(
    command.addOption(
      new Option('--reason <reason>', 'quarantined for this reason').choices(rejectionReasons),
    ),
  );
}

/** Those without the reason: a discard has a reason of its own. */
export function addEntryOptions(command: Command): Command {
  return command
    .option('--kind <kind>', 'of this kind')
    .option('--source <name>', 'from this source')
    .option('--problem <problem>', 'with this problem (see `portaria quarantine problems`)', parseFingerprint)
    .option('--id <id>', 'the entry with this id, for example q3; repeatable', repeatable);
}

export function quarantineFilter(given: QuarantineFilterFlags): QuarantineFilter {
  return {
    ...(given.reason && { reason: given.reason }),
    ...(given.kind !== undefined && { kind: given.kind }),
    ...(given.problem !== undefined && { problem: given.problem }),
    ...(given.source !== undefined && { source: given.source }),
    ...(given.id && { ids: given.id }),
  };
}
