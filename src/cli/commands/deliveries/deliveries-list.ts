import { type Command } from 'commander';
import { deliveryView } from '../../../view/delivery-view.ts';
import {
  addDeliveryFilterOptions,
  deliveryFilter,
  type DeliveryFilterFlags,
} from '../../options/delivery-filter-options.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { deliveryColumns } from '../../output/delivery-columns.ts';
import { pages, viewed } from '../../output/pages.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

export function addDeliveriesList(deliveries: Command, session: Session): void {
  const command = deliveries.command('list').description('deliveries, newest first');
  addListOptions(addDeliveryFilterOptions(command)).action(async (flags: DeliveryFilterFlags & ListFlags) => {
    await withStore(session, async (store) => {
      const filter = deliveryFilter(flags);
      const found = pages(flags.limit, (page) => store.deliveries(filter, { order: 'newest', ...page }));
      await writeList(session, viewed(found, deliveryView), {
        columns: deliveryColumns,
        json: flags.json,
        empty: 'No delivery matches.',
      });
    });
  });
}
