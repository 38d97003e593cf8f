import type { Command } from 'commander';
import type { Session } from '../../session.ts';
import { addDeliveriesList } from './deliveries-list.ts';
import { addDeliveriesRetry } from './deliveries-retry.ts';
import { addDeliveriesShow } from './deliveries-show.ts';

export function addDeliveries(program: Command, session: Session): void {
  const deliveries = program
    .command('deliveries')
    .description('what became of each event, handler by handler');
  addDeliveriesList(deliveries, session);
  addDeliveriesShow(deliveries, session);
  addDeliveriesRetry(deliveries, session);
}
