import { Option, type Command } from 'commander';
import type { Subject } from '../../event/subject.ts';
import type { DeliveryFilter, DeliveryStatus } from '../../store/queries.ts';
import { deliveryStatuses } from './delivery-status.ts';
import { repeatable } from './repeatable.ts';
import { parseSubject } from './subject.ts';

/** What commander makes of the flags that choose deliveries. */
export interface DeliveryFilterFlags {
  readonly status?: DeliveryStatus;
  readonly handler?: string;
  readonly event?: string;
  readonly subject?: Subject;
  readonly source?: string;
  readonly replay?: string;
  readonly id?: readonly string[];
}

/** The flags by which deliveries are chosen. All given must hold. */
export function addDeliveryFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'in this status').choices(deliveryStatuses))
    .option('--handler <name>', 'of this handler, machine or <machine>/effects')
    .option('--event <id>', 'of this event')
    .option('--subject <family:id>', 'of this subject, for example company:12', parseSubject)
    .option('--source <name>', 'of events from this source')
    .option('--replay <id>', 'of this replay, for example r3')
    .option('--id <id>', 'this delivery, for example d12; repeatable', repeatable);
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
