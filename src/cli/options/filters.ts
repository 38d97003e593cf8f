/** The flags that select deliveries and quarantine entries. Flags given together must all match. */
import { Option, type Command } from 'commander';
import type { z } from 'zod';
import type { DeliveryFilter, QuarantineFilter } from '../../store/queries.ts';
import { deliveryStatusSchema } from '../../view/delivery-view.ts';
import {
  deliveryConditions,
  deliveryFilter,
  entryConditions,
  entryFilter,
} from '../../view/parameters/conditions.ts';
import { addConditions } from './conditions.ts';
import { repeatable } from './repeatable.ts';

/** The values of conditions, as their flags are named. */
type Given<Conditions extends z.ZodRawShape> = z.output<z.ZodObject<Conditions>>;

interface IdFlags {
  readonly id?: readonly string[];
}

const deliveryFlags = { status: deliveryStatusSchema.optional(), ...deliveryConditions };

/** The parsed flags that select deliveries. */
export interface DeliveryFlags extends Omit<Given<typeof deliveryFlags>, 'event_id'>, IdFlags {
  readonly event?: string;
}

export function addDeliveryFlags(command: Command): Command {
  return addConditions(command, deliveryFlags).addOption(
    idOption('the delivery with this id, for example d12'),
  );
}

/** @param named ids that are arguments */
export function selectedDeliveries(flags: DeliveryFlags, named: readonly string[] = []): DeliveryFilter {
  const { status, event, ...given } = flags;
  return {
    ...(status && { status }),
    ...deliveryFilter({ ...given, event_id: event }),
    ...selectedIds(flags, named),
  };
}

/** The parsed flags that select quarantine entries. */
export type EntryFlags = Given<typeof entryConditions> & IdFlags;

/** @param conditions those that the command has, under the names of its flags */
export function addEntryFlags(command: Command, conditions: z.ZodRawShape = entryConditions): Command {
  return addConditions(command, conditions).addOption(idOption('the entry with this id, for example q3'));
}

/** @param named ids that are arguments */
export function selectedEntries(flags: EntryFlags, named: readonly string[] = []): QuarantineFilter {
  return { ...entryFilter(flags), ...selectedIds(flags, named) };
}

function idOption(about: string): Option {
  return new Option('--id <id>', `${about}; repeatable`).argParser(repeatable);
}

function selectedIds({ id = [] }: IdFlags, named: readonly string[]): { readonly ids?: readonly string[] } {
  const ids = [...named, ...id];
  return ids.length === 0 ? {} : { ids };
}
