import type { Resource } from '../kit/specification.ts';

/** The shape of a response and the resource in it. */
export type SpecifiedResponse =
  /** `{ data: <resource> }` */
  | { readonly one: Resource }
  /** `{ data: [<resource>] }` */
  | { readonly all: Resource }
  /** `{ data: [<resource>], pagination: { page, size }, total }` */
  | { readonly page: Resource }
  /** The resource without a wrapper. */
  | { readonly flat: Resource }
  /** `{ data: <pre-signed URL> }`, no content, or a stream. */
  | 'address'
  | 'nothing'
  | 'stream';

/** The success response of every row of the specification's tables of Endpoints. */
export const specifiedResponses: Readonly<Record<string, SpecifiedResponse>> = {
  'get /v1/companies': { page: 'company' },
  'get /v1/companies/{id}': { one: 'company' },
  'post /v1/companies': { one: 'company, brief' },
  'put /v1/companies/{id}': { one: 'company, brief' },
  'post /v1/companies/{id}/sne': { one: 'sne, signed up' },
  'delete /v1/companies/{id}/sne': { one: 'sne, canceled' },
  'post /v1/companies/{id}/certificate': { one: 'certificate' },
  'delete /v1/companies/{id}/certificate': { one: 'certificate, removed' },
  'get /v1/companies/{id}/sync/stream': 'stream',
  'get /v1/companies/{id}/sync/snapshot': { one: 'synchronization snapshot' },
  'get /v1/users': { page: 'user' },
  'get /v1/users/{id}': { one: 'user' },
  'get /v1/users/{id}/drivers-license': { one: 'user driver license' },
  'post /v1/users': { one: 'user, brief' },
  'put /v1/users/{id}': { one: 'user, brief' },
  'delete /v1/users/{id}': { flat: 'message' },
  'post /v1/users/{id}/sne': { one: 'sne, signed up' },
  'delete /v1/users/{id}/sne': { one: 'sne, canceled' },
  'post /v1/users/{id}/activate': { one: 'user, activated' },
  'post /v1/users/{id}/deactivate': { one: 'user, deactivated' },
  'get /v1/console/users': { page: 'console user' },
  'get /v1/console/users/{id}': { flat: 'console user' },
  'get /v1/console/users/{id}/companies': { page: 'company of a console user' },
  'post /v1/console/users/sign-in': { flat: 'console sign-in' },
  'delete /v1/console/users/{id}/companies': { flat: 'message' },
  'delete /v1/console/users/{id}': { flat: 'message' },
  'post /v1/widgets/users/sign-in': { flat: 'widget sign-in' },
  'get /v1/traffic-violations': { page: 'traffic violation' },
  'get /v1/traffic-violations/{id}': { one: 'traffic violation' },
  'get /v1/traffic-violations/{id}/violation-notice': 'address',
  'get /v1/traffic-violations/{id}/penalty-notice': 'address',
  'get /v1/traffic-violations/{id}/tickets': { all: 'violation ticket, of a violation' },
  'post /v1/traffic-violations/{id}/tickets': { one: 'violation ticket, requested' },
  'get /v1/traffic-violations/tickets': { page: 'violation ticket' },
  'get /v1/traffic-violations/tickets/{id}': { one: 'violation ticket' },
  'get /v1/traffic-violations/tickets/{id}/file': 'address',
  'get /v1/traffic-violations/{id}/indications': { all: 'indication' },
  'get /v1/traffic-violations/{id}/indications/{indicationId}': { one: 'indication' },
  'post /v1/traffic-violations/{id}/indications': { one: 'indication' },
  'post /v1/traffic-violations/{id}/indications/{indicationId}/cancel': 'nothing',
  'get /v1/traffic-violations/{id}/indications/{indicationId}/document': { one: 'signing document record' },
  'get /v1/antt/violations': { page: 'ANTT violation' },
  'get /v1/antt/violations/{id}': { one: 'ANTT violation' },
  'get /v1/antt/violations/{id}/tickets': { all: 'ANTT slip, of a violation' },
  'post /v1/antt/violations/{id}/tickets': { one: 'ANTT slip, requested' },
  'get /v1/antt/violations/tickets': { page: 'ANTT slip' },
  'get /v1/antt/violations/tickets/{id}': { one: 'ANTT slip' },
  'get /v1/charges': { page: 'charge' },
  'get /v1/charges/{id}': { one: 'charge' },
  'get /v1/charges/{id}/payment-slips': { all: 'charge payment slip, of a charge' },
  'post /v1/charges/{id}/payment-slips': { one: 'charge payment slip, requested' },
  'get /v1/charges/payment-slips': { page: 'charge payment slip' },
  'get /v1/driver-licenses': { page: 'driver license, listed' },
  'get /v1/driver-licenses/{id}': { one: 'driver license' },
  'post /v1/drivers': { one: 'driver' },
  'get /v1/appeals': { flat: 'page of appeals' },
  'get /v1/appeals/{id}': { flat: 'appeal' },
  'post /v1/appeals': { flat: 'appeal, created' },
};
