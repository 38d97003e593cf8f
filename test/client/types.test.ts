/** Calls that compile, and calls that must not. `npm run typecheck` runs this. */
import { expectTypeOf, test } from 'vitest';
import type { CallOptions, Client } from '../../src/client/client.ts';

type ListOf<Part extends keyof Client> = Client[Part] extends { list: (...given: infer Given) => unknown }
  ? Given
  : never;

/** Never called: only the types matter. */
function check(client: Client, companies: ListOf<'companies'>[0]): void {
  void client.companies.list({ filters: { name: { $contains: 'a' }, sne: { status: { $eq: 'active' } } } });
  void client.trafficViolations.all({
    filters: {
      date: { $gte: '2026-01-01', $lt: '2026-02-01 12:00:00' },
      company: { id: { $eq: 12 }, external_uid: { $ne: 'matriz' } },
      indication_availability: { $eq: true },
    },
  });
  // @ts-expect-error -- an operator that the field does not support
  void client.companies.list({ filters: { tax_id: { $ne: '1' } } });
  // @ts-expect-error -- a field that the list cannot filter by
  void client.companies.list({ filters: { status: { $eq: 'active' } } });
  // @ts-expect-error -- a nested field that the list cannot filter by
  void client.companies.list({ filters: { sne: { sign_up_date: { $eq: '2026-01-01' } } } });
  // @ts-expect-error -- a value that is not in the set
  void client.companies.list({ filters: { sne: { status: { $eq: 'asleep' } } } });
  // @ts-expect-error -- a value of another type
  void client.users.list({ filters: { login: { connected: { $eq: 'true' } } } });
  // @ts-expect-error -- a value in place of a condition
  void client.users.list({ filters: { status: 'active' } });
  // @ts-expect-error -- all pages have no page number
  void client.companies.all({ page: 2 });
  // @ts-expect-error -- a numeric id
  void client.companies.read('12');
  // @ts-expect-error -- a string id
  void client.consoleUsers.read(12);
  // @ts-expect-error -- an id is missing
  void client.companies.read();
  // @ts-expect-error -- a field is missing
  void client.companies.create({ name: 'A' });
  // @ts-expect-error -- an unknown field
  void client.companies.update(12, { tax_id: '1' });
  expectTypeOf(companies).extract<object>().toHaveProperty('filters');
}

test('results have the types of the contract', () => {
  expectTypeOf(check).toBeFunction();

  expectTypeOf<Client['companies']['read']>().parameters.toEqualTypeOf<[id: number, options?: CallOptions]>();
  expectTypeOf<Awaited<ReturnType<Client['companies']['read']>>['id']>().toEqualTypeOf<number>();
  expectTypeOf<Awaited<ReturnType<Client['companies']['list']>>['total']>().toEqualTypeOf<number>();
  expectTypeOf<
    Awaited<ReturnType<Client['charges']['paymentSlips']['listOf']>>[number]['id']
  >().toEqualTypeOf<number>();
  expectTypeOf<Awaited<ReturnType<Client['consoleUsers']['remove']>>>().toEqualTypeOf<{ message: string }>();
  expectTypeOf<Awaited<ReturnType<Client['users']['activate']>>>().toEqualTypeOf<{ status: 'active' }>();
});

test('only paged lists have an operation for all pages', () => {
  expectTypeOf<keyof Client['charges']>().toEqualTypeOf<'list' | 'all' | 'read' | 'paymentSlips'>();
  expectTypeOf<keyof Client['charges']['paymentSlips']>().toEqualTypeOf<
    'list' | 'all' | 'listOf' | 'request'
  >();
});

test('all pages yield records, and a stream yields events', () => {
  type Slip =
    ReturnType<Client['charges']['paymentSlips']['all']> extends AsyncIterable<infer Item> ? Item : never;
  type Event =
    ReturnType<Client['companies']['sync']['stream']> extends AsyncIterable<infer Item> ? Item : never;

  expectTypeOf<Slip['id']>().toEqualTypeOf<number>();
  expectTypeOf<Event['event']>().toEqualTypeOf<'progress' | 'done'>();
  expectTypeOf<Extract<Event, { event: 'done' }>['data']['status']>().toEqualTypeOf<
    'success' | 'partial_success' | 'failure' | (string & {})
  >();
});
