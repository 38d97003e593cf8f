/**
 * The specification's tables of Endpoints, word for word, as data.
 */

export interface SpecifiedEndpoint {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly success: number;
  /** Error statuses of the row. Every endpoint also rejects invalid keys and parameters. */
  readonly failures: readonly number[];
  /** Null when the endpoint is not a paged list. */
  readonly filters: Readonly<Record<string, string>> | null;
  /** Other query parameters. */
  readonly query: string;
  readonly body: { readonly required: string; readonly optional: string } | null;
}

const six = '$eq $ne $lt $lte $gt $gte';
const two = '$eq $ne';

export const specifiedEndpoints: readonly SpecifiedEndpoint[] = [
  // Companies
  list('/v1/companies', {
    name: '$eq $contains $startsWith',
    tax_id: '$eq $contains',
    'sne.status': '$eq',
    'certificate.status': '$eq',
    external_uid: two,
  }),
  row('get', '/v1/companies/{id}', 200, [404]),
  row('post', '/v1/companies', 201, [400, 409], 'name tax_id', 'external_uid login_username'),
  row('put', '/v1/companies/{id}', 200, [400, 404], '', 'name external_uid login_username'),
  row('post', '/v1/companies/{id}/sne', 201, [404, 409, 422]),
  row('delete', '/v1/companies/{id}/sne', 200, [404, 422]),
  row('post', '/v1/companies/{id}/certificate', 200, [400, 404, 422], 'certificate password'),
  row('delete', '/v1/companies/{id}/certificate', 200, [404, 422]),
  row('get', '/v1/companies/{id}/sync/stream', 200, [404]),
  row('get', '/v1/companies/{id}/sync/snapshot', 200, [404]),
  // Users
  list('/v1/users', {
    name: '$eq $contains $startsWith',
    tax_id: '$eq $contains',
    email: '$eq $contains',
    'sne.status': '$eq',
    status: two,
    external_uid: two,
    'login.status': two,
    'login.step': two,
    'login.connected': '$eq',
    'login.connected_at': six,
    'login.disconnected_at': six,
  }),
  row('get', '/v1/users/{id}', 200, [404]),
  row('get', '/v1/users/{id}/drivers-license', 200, [403, 404]),
  row('post', '/v1/users', 201, [400, 409], 'name tax_id', 'email phone external_uid'),
  row('put', '/v1/users/{id}', 200, [400, 404], '', 'name email phone external_uid'),
  row('delete', '/v1/users/{id}', 200, [404]),
  row('post', '/v1/users/{id}/sne', 201, [404, 409, 422]),
  row('delete', '/v1/users/{id}/sne', 200, [404, 422]),
  row('post', '/v1/users/{id}/activate', 200, [404]),
  row('post', '/v1/users/{id}/deactivate', 200, [404]),
  // Console users
  list('/v1/console/users', { email: '$eq $contains', external_uid: '$eq' }),
  row('get', '/v1/console/users/{id}', 200, [404]),
  list('/v1/console/users/{id}/companies', {}, [404]),
  row('post', '/v1/console/users/sign-in', 200, [400], 'email companies', 'name external_uid'),
  row('delete', '/v1/console/users/{id}/companies', 200, [400, 404], 'companies'),
  row('delete', '/v1/console/users/{id}', 200, [404]),
  // Widget users
  row('post', '/v1/widgets/users/sign-in', 200, [400, 404, 409], 'widget_uid external_uid', 'tax_id phone'),
  // Traffic violations
  list('/v1/traffic-violations', {
    date: six,
    due_date: six,
    license_plate: '$eq $ne $contains $startsWith $endsWith',
    status: two,
    'company.id': two,
    'company.external_uid': two,
    'user.id': two,
    'user.external_uid': two,
    'agency.code': two,
    offender_type: two,
    indication_availability: '$eq',
  }),
  row('get', '/v1/traffic-violations/{id}', 200, [404]),
  row('get', '/v1/traffic-violations/{id}/violation-notice', 200, [404]),
  row('get', '/v1/traffic-violations/{id}/penalty-notice', 200, [404]),
  row('get', '/v1/traffic-violations/{id}/tickets', 200, [403, 404]),
  row('post', '/v1/traffic-violations/{id}/tickets', 201, [403, 404, 409, 422], '', 'discount'),
  // Traffic violation payment slips
  list('/v1/traffic-violations/tickets', {
    status: '$eq',
    discount: '$eq',
    payment_method: '$eq',
    due_date: six,
  }),
  // The section Errors adds 403 to these rows: ticket and indication endpoints.
  row('get', '/v1/traffic-violations/tickets/{id}', 200, [403, 404]),
  row('get', '/v1/traffic-violations/tickets/{id}/file', 200, [403, 404]),
  // Driver indications. The section Errors adds 403, but for the first.
  row('get', '/v1/traffic-violations/{id}/indications', 200, [403, 404]),
  row('get', '/v1/traffic-violations/{id}/indications/{indicationId}', 200, [403, 404]),
  row(
    'post',
    '/v1/traffic-violations/{id}/indications',
    201,
    [403, 404, 409, 422],
    'tax_id',
    'flow email phone name license id_number id_issuer transfer documents vars requester_email requester_phone',
  ),
  row('post', '/v1/traffic-violations/{id}/indications/{indicationId}/cancel', 204, [403, 404, 409]),
  row('get', '/v1/traffic-violations/{id}/indications/{indicationId}/document', 200, [403, 404]),
  // ANTT violations
  list('/v1/antt/violations', {
    date: six,
    due_date: six,
    penalty_notice_date: six,
    status: two,
    type: two,
    license_plate: two,
    'company.external_uid': two,
    'company.id': two,
    'company.tax_id': two,
  }),
  row('get', '/v1/antt/violations/{id}', 200, [404]),
  row('get', '/v1/antt/violations/{id}/tickets', 200, [404]),
  row('post', '/v1/antt/violations/{id}/tickets', 201, [404, 409, 422]),
  list('/v1/antt/violations/tickets', { status: two, due_date: six, 'company.external_uid': two }),
  row('get', '/v1/antt/violations/tickets/{id}', 200, [404]),
  // Charges
  list('/v1/charges', {
    date: six,
    due_date: six,
    status: two,
    type: two,
    agency: two,
    'company.external_uid': two,
  }),
  row('get', '/v1/charges/{id}', 200, [404]),
  row('get', '/v1/charges/{id}/payment-slips', 200, [404]),
  row('post', '/v1/charges/{id}/payment-slips', 201, [404, 409, 422]),
  list('/v1/charges/payment-slips', { status: two, due_date: six, agency: two }),
  // Driver licenses and drivers
  list('/v1/driver-licenses', {}),
  row('get', '/v1/driver-licenses/{id}', 200, [404]),
  row('post', '/v1/drivers', 201, [400, 404], 'tax_id'),
  // Appeals. Their errors are not shown; a missing record is 404 as everywhere.
  { ...row('get', '/v1/appeals', 200, []), query: 'page page_size status' },
  row('get', '/v1/appeals/{id}', 200, [404]),
  row(
    'post',
    '/v1/appeals',
    200,
    [404],
    'user_id',
    'reference_object_id reference_object_type object_id object_type',
  ),
];

function list(
  path: string,
  filters: Readonly<Record<string, string>>,
  failures: readonly number[] = [],
): SpecifiedEndpoint {
  return { method: 'get', path, success: 200, failures, filters, query: '', body: null };
}

function row(
  method: SpecifiedEndpoint['method'],
  path: string,
  success: number,
  failures: readonly number[],
  required?: string,
  optional = '',
): SpecifiedEndpoint {
  const body = required === undefined ? null : { required, optional };
  return { method, path, success, failures, filters: null, query: '', body };
}
