/** The provider's endpoints of traffic violations. */
import { trafficViolation } from '../record/traffic-violation.ts';
import { fileResponse, one, pageOf } from './response.ts';
import { endpointsOf } from './endpoint.ts';
import {
  booleanValue,
  dateValue,
  equality,
  filterBy,
  idValue,
  ordering,
  periodValue,
  stringValue,
  valueAmong,
} from './filter.ts';

const endpoint = endpointsOf('Traffic violations');
const noViolation = 'There is no such violation.';

/** Specification, Endpoints, Traffic violations. */
export const trafficViolationEndpoints = {
  list: endpoint({
    operationId: 'listTrafficViolations',
    summary: 'Traffic violations of the organization',
    path: '/v1/traffic-violations',
    filters: {
      date: filterBy(periodValue, ordering),
      due_date: filterBy(dateValue, ordering),
      license_plate: filterBy(stringValue, ['$eq', '$ne', '$contains', '$startsWith', '$endsWith']),
      status: filterBy(
        valueAmong(['citation', 'warning', 'pending', 'paid', 'overdue', 'canceled', 'suspended']),
        equality,
      ),
      'company.id': filterBy(idValue, equality),
      'company.external_uid': filterBy(stringValue, equality),
      'user.id': filterBy(idValue, equality),
      'user.external_uid': filterBy(stringValue, equality),
      'agency.code': filterBy(stringValue, equality),
      offender_type: filterBy(valueAmong(['owner', 'shipper', 'driver']), equality),
      indication_availability: filterBy(booleanValue, ['$eq']),
    },
    response: { status: 200, description: 'A page of violations.', schema: pageOf(trafficViolation) },
  }),
  read: endpoint({
    operationId: 'readTrafficViolation',
    summary: 'One traffic violation',
    path: '/v1/traffic-violations/{id}',
    response: { status: 200, description: 'The violation.', schema: one(trafficViolation) },
    errors: { 404: noViolation },
  }),
  violationNotice: {
    read: endpoint({
      operationId: 'readViolationNotice',
      summary: 'Address of the violation notice, valid for 15 minutes',
      path: '/v1/traffic-violations/{id}/violation-notice',
      response: fileResponse,
      errors: { 404: 'There is no such violation, or no violation notice yet.' },
    }),
  },
  penaltyNotice: {
    read: endpoint({
      operationId: 'readPenaltyNotice',
      summary: 'Address of the penalty notice, valid for 15 minutes',
      path: '/v1/traffic-violations/{id}/penalty-notice',
      response: fileResponse,
      errors: { 404: 'There is no such violation, or no penalty notice yet.' },
    }),
  },
};
