/**
 * The specification's tables, Endpoints and Resources, word for word as data:
 * what the service must do, not what it does.
 */

export interface SpecifiedEndpoint {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly success: number;
  /** As the row names them; keys and parameters that do not fit are refused everywhere. */
  readonly failures: readonly number[];
  /** Null: no list of pages. */
  readonly filters: Readonly<Record<string, string>> | null;
  /** Other parameters of the query string. */
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
  // 403 is not in these rows, but in Errors: ticket and indication endpoints.
  row('get', '/v1/traffic-violations/tickets/{id}', 200, [403, 404]),
  row('get', '/v1/traffic-violations/tickets/{id}/file', 200, [403, 404]),
  // Driver indications; 403 is in Errors again, but for the first.
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
  // Appeals. Their failures are not shown; a record that does not exist is 404 as everywhere.
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

/** Names of the fields of each resource, in the specification's order. */
export const specifiedFields = {
  company:
    'id tax_id name login_username external_uid sne certificate login address organization created_at updated_at',
  'company, brief': 'id tax_id name login_username external_uid organization created_at updated_at',
  sne: 'status sign_up_date cancel_date synced_at',
  certificate: 'status issue_date expiration_date',
  login: 'id type status service connected connected_at disconnected_at step',
  address: 'address city state postal_code',
  user: 'id tax_id name email phone external_uid status sne login created_at updated_at',
  'user, brief': 'id tax_id name email phone external_uid created_at updated_at',
  'user driver license':
    'id license name tax_id points status class current renach commercial_driver probationary_license ' +
    'current_license_state domain_license_state issuer_license_state issue_date expiration_date ' +
    'first_license_date files user created_at',
  'driver license': 'id license name tax_id points status issue_date expiration_date',
  'driver license, listed': 'id license name tax_id points status issue_date expiration_date created_at',
  driver: 'id license name tax_id issue_date expiration_date created_at',
  appeal:
    'id user_id legal_instance status submitted_at created_at updated_at reference_object_id reference_object_type',
  'appeal, created': 'id user_id status created_at updated_at',
  'page of appeals': 'page page_size total total_pages data',
  'console user': 'id name email external_uid created_at updated_at',
  'company of a console user': 'id name tax_id external_uid created_at updated_at',
  'traffic violation':
    'id ait code breakdown license_plate description status payable written_warning renainf offender_type ' +
    'amount interest_amount correction_amount updated_amount amount_updated_at date violation_notice_date ' +
    'penalty_notice_date payment_date due_date indication_deadline preliminary_appeal_deadline ' +
    'notice_appeal_deadline indication_availability location city state latitude longitude reference user ' +
    'company agency ticket_discount_availability',
  'reference of a violation': 'legal_basis severity multiplier points',
  'user of a violation': 'id external_uid',
  'company of a violation': 'id name external_uid',
  'agency of a violation': 'code name sne_indications sne_tickets',
  'violation ticket':
    'id status discount amount barcode due_date payment_method pix created_at updated_at traffic_violation',
  'violation ticket, of a violation': 'id status amount barcode due_date payment_method pix',
  'violation of a ticket': 'id ait code description',
  indication:
    'id status status_reason status_label status_description tax_id name email phone flow license id_number ' +
    'id_issuer transfer external document_token signer_token sign_url document_status document_signed_at vars ' +
    'requester_email requester_phone created_at updated_at',
  'signing document record': 'document_token document_status sign_url document audit_trail',
  'document of a record': 'token status name original_file signed_file created_at last_update_at signers',
  'signer of a document': 'token status name email times_viewed last_view_at signed_at',
  'audit trail entry': 'created_at event description',
  'discounts of a violation': 'full partial full_unavailable_reason partial_unavailable_reason',
  'ANTT violation':
    'id external_uid code key description location license_plate date due_date penalty_notice_date ' +
    'synced_at type status amount company',
  'company of an ANTT violation': 'id external_uid name',
  'ANTT slip':
    'id status amount barcode payment_method pix due_date status_reason synced_at created_at updated_at antt_violation',
  'ANTT slip, of a violation':
    'id status amount barcode payment_method pix due_date status_reason synced_at created_at updated_at',
  'ANTT slip, requested': 'id status amount barcode payment_method pix due_date',
  'ANTT violation of a slip': 'id external_uid code description due_date',
  charge: 'id external_uid code key description date due_date agency type status amount company',
  'company of a charge': 'id external_uid name',
  'company of a webhook': 'id external_uid tax_id name',
  'charge payment slip':
    'id status amount barcode due_date status_reason last_synced_at created_at updated_at charge',
  'charge payment slip, of a charge':
    'id status amount barcode due_date status_reason last_synced_at created_at updated_at',
  'charge of a slip': 'id external_uid code description due_date amount company',
} as const;

/** The fields of a resource, for comparing with what an answer has. */
export function fieldsOf(resource: keyof typeof specifiedFields): readonly string[] {
  return specifiedFields[resource].split(' ').sort();
}

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
