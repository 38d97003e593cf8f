import { Option, type Command } from 'commander';
import type { RejectionReason } from '../../event/delivery.ts';
import type { QuarantineFilter } from '../../store/queries.ts';
import { repeatable } from './repeatable.ts';

/** What commander makes of the flags that choose quarantine entries. */
export interface QuarantineFilterFlags {
  readonly reason?: RejectionReason;
  readonly kind?: string;
  readonly source?: string;
  readonly id?: readonly string[];
}

const reasons: readonly RejectionReason[] = ['malformed', 'invalid', 'conflict'];

/** The flags by which quarantine entries are chosen. All given must hold. */
export function addQuarantineFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--reason <reason>', 'held for this reason').choices(reasons))
    .option('--kind <kind>', 'of this kind')
    .option('--source <name>', 'from this source')
    .option('--id <id>', 'this entry, for example q3; repeatable', repeatable);
}

export function quarantineFilter(given: QuarantineFilterFlags): QuarantineFilter {
  return {
    ...(given.reason && { reason: given.reason }),
    ...(given.kind !== undefined && { kind: given.kind }),
    ...(given.source !== undefined && { source: given.source }),
    ...(given.id && { ids: given.id }),
  };
}
