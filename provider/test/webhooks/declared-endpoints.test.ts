import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from '../../../src/contract/api/endpoint.ts';
import { allRoutes } from '../../http/all-routes.ts';
import { specifiedEndpoints } from '../kit/specified-endpoints.ts';

const declared = new Map(allRoutes.map(({ endpoint }) => [`${endpoint.method} ${endpoint.path}`, endpoint]));

test('declares exactly the endpoints of the specification, each once', () => {
  const specified = specifiedEndpoints.map(({ method, path }) => `${method} ${path}`);

  expect([...declared.keys()].sort()).toEqual([...specified].sort());
  expect(allRoutes).toHaveLength(specifiedEndpoints.length);
});

test.each(specifiedEndpoints.map((row) => [`${row.method} ${row.path}`, row] as const))(
  '%s has the status, filters and body of its row',
  (name, row) => {
    const endpoint = declared.get(name) as Endpoint;

    expect({
      success: endpoint.response.status,
      failures: Object.keys(endpoint.errors).map(Number).sort(),
      filters:
        endpoint.filters &&
        Object.fromEntries(
          Object.entries(endpoint.filters).map(([field, { operators }]) => [field, operators.join(' ')]),
        ),
      query: Object.keys(endpoint.query.shape).join(' '),
      body: endpoint.body && fieldsOf(endpoint.body),
    }).toEqual({
      success: row.success,
      failures: row.failures,
      filters: row.filters,
      query: row.query,
      body: row.body,
    });
  },
);

function fieldsOf(body: z.ZodType): { readonly required: string; readonly optional: string } {
  const { properties = {}, required = [] } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return { required: required.join(' '), optional: optional.join(' ') };
}
