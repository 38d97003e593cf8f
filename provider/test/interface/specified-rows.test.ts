/**
 * Checks every row of the specification's tables of Endpoints: requests each status, and
 * compares the fields of each response with its resource.
 */
import { expect, test } from 'vitest';
import { mismatches } from './specification-mismatches.ts';
import { chargeRequests } from '../sample-requests/charge-requests.ts';
import { companyRequests } from '../sample-requests/company-requests.ts';
import { userRequests } from '../sample-requests/user-requests.ts';
import { violationRequests } from '../sample-requests/violation-requests.ts';
import type { SampleInput } from '../sample-requests/sample-request.ts';
import { readResponse, type ProviderResponse } from '../kit/test-provider.ts';
import { specifiedResponses } from './specified-responses.ts';
import { specifiedEndpoints, type SpecifiedEndpoint } from '../kit/specified-endpoints.ts';
import { openWithFixtures, type RecordFixtures } from '../kit/record-fixtures.ts';

const sampleRequests = { ...companyRequests, ...userRequests, ...violationRequests, ...chargeRequests };

/** The labels of the specification, Errors. It does not show 401. */
const labels: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
};

const nameOf = ({ method, path }: SpecifiedEndpoint) => `${method} ${path}`;
const rows = specifiedEndpoints.map((row) => [nameOf(row), row] as const);

test('covers every row, and every status of it', () => {
  const statuses = (row: SpecifiedEndpoint) => [row.success, ...row.failures].map(String).sort();

  expect(Object.keys(specifiedResponses).sort()).toEqual(rows.map(([name]) => name).sort());
  expect(
    Object.fromEntries(Object.entries(sampleRequests).map(([name, by]) => [name, Object.keys(by).sort()])),
  ).toEqual(Object.fromEntries(rows.map(([name, row]) => [name, statuses(row)])));
});

const failing = rows.flatMap(([name, row]) => row.failures.map((status) => [name, status, row] as const));

test.each(failing)('%s: %i', async (name, status, row) => {
  const setup = await openWithFixtures();
  const input = (await sampleRequests[name]?.[status]?.(setup)) ?? {};
  const { label = labels[status], message } = input;

  const response = await request(setup, row, input, setup.ours.key);

  expect(response).toMatchObject({ status, body: { error: label } });
  expect(Object.keys(response.body)).toEqual(message === null ? ['error'] : ['error', 'message']);
  if (typeof message === 'string') expect(response.body['message']).toBe(message);
});

/** Endpoints without an id in the path that name a record of the organization in the body. */
const namesRecord = ['post /v1/widgets/users/sign-in', 'post /v1/drivers', 'post /v1/appeals'];

test.each(rows)("%s: with the key of the organization only, not with another's", async (name, row) => {
  const setup = await openWithFixtures();
  const input = (await sampleRequests[name]?.[row.success]?.(setup)) ?? {};
  const before = await setup.sqliteDump(setup.ours.organization);

  for (const key of [undefined, 'fdc_guessed'])
    expect(await request(setup, row, input, key)).toMatchObject({
      status: 401,
      body: { error: labels[401], message: expect.any(String) },
    });
  const { status, body } = await request(setup, row, input, setup.theirs.key);
  if (row.path.includes('{id}') || namesRecord.includes(name)) {
    expect(status).toBe(404);
    expect(JSON.stringify(body)).not.toContain('data');
  } else if (row.method === 'get') expect(body).toMatchObject({ data: [], total: 0 });
  // It names a company that its own organization does not have.
  else if (name === 'post /v1/console/users/sign-in') expect(status).toBe(400);
  // What ours has is not taken for theirs.
  else expect(status).toBe(201);
  expect(await setup.sqliteDump(setup.ours.organization)).toEqual(before);

  const response = await request(setup, row, input, setup.ours.key);
  expect(response).toMatchObject({ status: row.success });
  expect(mismatchesOf(name, response)).toEqual([]);
});

async function request(
  { app }: RecordFixtures,
  { method, path }: SpecifiedEndpoint,
  { id, indicationId, body }: SampleInput,
  key: string | undefined,
): Promise<ProviderResponse & { readonly type: string | null }> {
  const at = path.replace('{id}', String(id)).replace('{indicationId}', String(indicationId));
  const response = await app.request(at, {
    method: method.toUpperCase(),
    headers: { ...(key && { 'x-api-key': key }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const type = response.headers.get('content-type');
  if (type?.startsWith('text/event-stream') !== true) return { ...(await readResponse(response)), type };
  // The stream lasts as long as the import.
  await response.body?.cancel();
  return { status: response.status, type, body: {}, data: {}, rows: [] };
}

/** Lists the differences between a response and its row. */
function mismatchesOf(name: string, { body, rows: records, type }: Awaited<ReturnType<typeof request>>) {
  const specified = specifiedResponses[name] ?? 'nothing';
  if (specified === 'stream')
    return type?.startsWith('text/event-stream') === true ? [] : [`it is ${String(type)}`];
  if (specified === 'nothing') return Object.keys(body);
  if (specified === 'address') return typeof body['data'] === 'string' ? [] : ['data is no address'];
  if ('flat' in specified) return mismatches(specified.flat, body);
  if ('one' in specified) return [...wrapping(body, 'data'), ...mismatches(specified.one, body['data'])];
  const [resource, names] =
    'all' in specified ? [specified.all, 'data'] : [specified.page, 'data pagination total'];
  return [
    ...wrapping(body, names),
    ...(records.length === 0 ? ['the list is empty'] : []),
    ...records.flatMap((record) => mismatches(resource, record)),
  ];
}

function wrapping(body: object, names: string): readonly string[] {
  const given = Object.keys(body).sort().join(' ');
  return given === names ? [] : [`the response has ${given}`];
}
