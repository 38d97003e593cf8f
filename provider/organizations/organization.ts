/** Finds and creates organizations. */
import { startDayOver } from '../day-over/step-day-over.ts';
import type { Provider } from '../provider.ts';
import { addWidget } from '../widget/widgets.ts';

/** Length of a widget's uid after its prefix. */
const WIDGET_UID_LENGTH = 16;

/** Returns the id of an organization, and creates it, with a widget, when it does not exist. */
export async function findOrCreateOrganization(provider: Provider, name: string): Promise<number> {
  const at = new Date(provider.clock.now()).toISOString();
  const widget = `wgt_${provider.createSecret().slice(0, WIDGET_UID_LENGTH)}`;
  return provider.query.transaction().execute(async (transaction) => {
    const known = await transaction
      .selectFrom('organizations')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirst();
    if (known !== undefined) return known.id;
    const { id } = await transaction
      .insertInto('organizations')
      .values({ name, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    await addWidget({ transaction, organization: id, at }, widget);
    await startDayOver({ transaction, organization: id, at });
    return id;
  });
}

/** Lists all organizations, oldest first. */
export function organizations({ query }: Pick<Provider, 'query'>) {
  return query.selectFrom('organizations').select(['id', 'name']).orderBy('id').execute();
}
