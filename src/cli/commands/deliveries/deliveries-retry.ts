import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { retryDeliveries } from '../../../operate/retry-deliveries.ts';
import type { RetryView } from '../../../view/operation-views.ts';
import { exitCode, type ExitCode } from '../../exit-code.ts';
import {
  addDeliveryFilterOptions,
  deliveryFilter,
  type DeliveryFilterFlags,
} from '../../options/delivery-filter-options.ts';
import { jsonOption } from '../../options/list-options.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

interface RetryFlags extends DeliveryFilterFlags {
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function addDeliveriesRetry(deliveries: Command, session: Session): void {
  const command = deliveries
    .command('retry')
    .description('gives dead deliveries a fresh count of tries; a running serve takes them up')
    .argument('[ids...]', 'for example d12; or choose by flags, such as --status dead');
  addDeliveryFilterOptions(command)
    .option('--dry-run', 'say what would be retried, change nothing', false)
    .addOption(jsonOption())
    .action(async (ids: string[], flags: RetryFlags) => {
      const named = [...ids, ...(flags.id ?? [])];
      const filter = { ...deliveryFilter(flags), ...(named.length > 0 && { ids: named }) };
      if (Object.keys(filter).length === 0)
        throw new PortariaError('invalid-argument', 'Which ones? Name ids, or choose: --status dead for all');
      await withStore(session, async (store) => {
        const { clock } = session.terminal;
        const result = await retryDeliveries(store, { filter, clock, dryRun: flags.dryRun });
        await session.print(flags.json ? JSON.stringify(result) : retryText(result, flags.dryRun));
        session.exitCode = exitCodeOf(result);
      });
    });
}

function exitCodeOf({ retried, left_alone: left }: RetryView): ExitCode {
  if (left.length === 0) return exitCode.ok;
  if (retried.length > 0) return exitCode.partial;
  return left.every(({ status }) => status === null) ? exitCode.notFound : exitCode.failed;
}

function retryText({ retried, left_alone: left }: RetryView, dryRun: boolean): string {
  const lines = left.map(({ id, status }) =>
    status === null ? `${id}: there is no such delivery` : `${id}: is ${status}, only dead ones are retried`,
  );
  const which = retried.length === 0 ? '' : `: ${retried.join(' ')}`;
  return [...lines, `${String(retried.length)} ${dryRun ? 'would be retried' : 'retried'}${which}`].join(
    '\n',
  );
}
