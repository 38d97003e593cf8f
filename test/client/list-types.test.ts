/** The types of every list's filters, compared with the specification. `npm run typecheck` runs this. */
import { expectTypeOf, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';

type Equality = '$eq' | '$ne';
type Ordering = Equality | '$lt' | '$lte' | '$gt' | '$gte';

/** The filters of a list's query, which is its last parameter but one. */
type FiltersIn<List> = List extends (
  ...given: [...infer _Ids, query?: infer Query, options?: infer _Options]
) => unknown
  ? NonNullable<Query> extends { readonly filters?: infer Filters }
    ? NonNullable<Filters>
    : never
  : never;

/** The operators of every field, nested like the filters. */
type OperatorsIn<Filters> = {
  -readonly [Name in keyof Filters]-?: [keyof NonNullable<Filters[Name]> & `$${string}`] extends [never]
    ? OperatorsIn<NonNullable<Filters[Name]>>
    : keyof NonNullable<Filters[Name]>;
};

/** The values of every field, nested like the filters. */
type ValuesIn<Filters> = {
  -readonly [Name in keyof Filters]-?: [keyof NonNullable<Filters[Name]> & `$${string}`] extends [never]
    ? ValuesIn<NonNullable<Filters[Name]>>
    : NonNullable<NonNullable<Filters[Name]>[keyof NonNullable<Filters[Name]>]>;
};
type SneStatus = 'active' | 'inactive' | 'unavailable' | 'unknown' | 'pending' | 'canceling';

test('companies', () => {
  type Filters = FiltersIn<Client['companies']['list']>;
  expectTypeOf<OperatorsIn<Filters>>().toEqualTypeOf<{
    name: '$eq' | '$contains' | '$startsWith';
    tax_id: '$eq' | '$contains';
    sne: { status: '$eq' };
    certificate: { status: '$eq' };
    external_uid: Equality;
  }>();
  expectTypeOf<ValuesIn<Filters>>().toEqualTypeOf<{
    name: string;
    tax_id: string;
    sne: { status: SneStatus };
    certificate: { status: 'valid' | 'expired' | 'not_provided' };
    external_uid: string;
  }>();
});

test('users', () => {
  type Filters = FiltersIn<Client['users']['list']>;
  expectTypeOf<OperatorsIn<Filters>>().toEqualTypeOf<{
    name: '$eq' | '$contains' | '$startsWith';
    tax_id: '$eq' | '$contains';
    email: '$eq' | '$contains';
    sne: { status: '$eq' };
    status: Equality;
    external_uid: Equality;
    login: {
      status: Equality;
      step: Equality;
      connected: '$eq';
      connected_at: Ordering;
      disconnected_at: Ordering;
    };
  }>();
  expectTypeOf<ValuesIn<Filters>['login']>().toEqualTypeOf<{
    status: 'fail' | 'success' | 'incomplete' | 'processing' | 'voided';
    step: 'credentials' | 'username' | 'password' | 'certificate' | 'otp' | 'completed';
    connected: boolean;
    connected_at: string;
    disconnected_at: string;
  }>();
  expectTypeOf<ValuesIn<Filters>['status']>().toEqualTypeOf<'pending' | 'active' | 'inactive'>();
});

test('lists without filters or with their own parameters', () => {
  expectTypeOf<FiltersIn<Client['driverLicenses']['list']>>().toBeNever();
  expectTypeOf<FiltersIn<Client['appeals']['list']>>().toBeNever();
  expectTypeOf<keyof NonNullable<Parameters<Client['appeals']['list']>[0]>>().toEqualTypeOf<
    'page' | 'page_size' | 'status'
  >();
});

test('iterating over all pages takes the same filters as reading one page', () => {
  type Same<Part> = Part extends { readonly list: infer List; readonly all: infer All }
    ? FiltersIn<List> extends FiltersIn<All>
      ? true
      : false
    : never;
  expectTypeOf<
    [
      Same<Client['companies']>,
      Same<Client['users']>,
      Same<Client['trafficViolations']>,
      Same<Client['trafficViolations']['tickets']>,
      Same<Client['anttViolations']>,
      Same<Client['anttViolations']['tickets']>,
      Same<Client['charges']>,
      Same<Client['charges']['paymentSlips']>,
    ]
  >().toEqualTypeOf<[true, true, true, true, true, true, true, true]>();
});
