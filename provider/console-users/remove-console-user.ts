import type { Change } from '../change.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { consoleUserRecord, findConsoleUser } from './read-console-user.ts';

/** Removes a console user with its group and tokens; the event carries the removed user. @throws Refusal 404 */
export async function removeConsoleUser(change: Change, id: string): Promise<void> {
  const { transaction, organization } = change;
  const user = await findConsoleUser(transaction, organization, id);
  await transaction.deleteFrom('console_users').where('number', '=', user.number).execute();
  await transaction.deleteFrom('company_groups').where('id', '=', user.group_id).execute();
  await recordChange(change, 'console-user.deleted', consoleUserRecord(user));
}
