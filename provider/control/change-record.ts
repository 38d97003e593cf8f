/** Changes one record for a control. */
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';
import type { Provider } from '../provider.ts';

/** Tables by the names of their records in error messages. Ids are unique across organizations. */
const tables = {
  Company: 'companies',
  User: 'users',
  'Traffic violation': 'traffic_violations',
  'Traffic violation ticket': 'traffic_violation_tickets',
  Indication: 'traffic_violation_indications',
  'ANTT violation': 'antt_violations',
  'ANTT violation ticket': 'antt_violation_tickets',
  Charge: 'charges',
  'Charge payment slip': 'charge_payment_slips',
  Appeal: 'appeals',
} as const;

export type ControlledRecord = keyof typeof tables;

/** Changes a record in a transaction of its organization. @throws HttpError 404 */
export async function changeRecord<T>(
  provider: Provider,
  name: ControlledRecord,
  id: number,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const row = await provider.query
    .selectFrom(tables[name])
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new HttpError(404, `${name} with id ${String(id)} not found`);
  return provider.change(row.organization_id, work);
}

/** Finds an organization by name, or the only one if no name is given. @throws HttpError 400, 404 */
export async function organizationNamed({ query }: Provider, name: string | undefined): Promise<number> {
  const all = await query.selectFrom('organizations').select(['id', 'name']).orderBy('id').execute();
  const named = name === undefined ? all : all.filter((each) => each.name === name);
  const [first] = named;
  if (first === undefined)
    throw new HttpError(404, `Organization ${name ?? ''} not found; GET /control/organizations lists them`);
  if (named.length > 1)
    throw new HttpError(
      400,
      `organization: is required, because there are several: ${all.map((each) => each.name).join(', ')}`,
    );
  return first.id;
}
