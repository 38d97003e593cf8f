/** The provider's endpoints of traffic violations. */
import { z } from 'zod';
import { trafficViolation } from '../record/traffic-violation.ts';
import { fileResponse, one, pageOf } from './response.ts';
import { defineEndpoint, numericId } from './endpoint.ts';
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

const part = 'Traffic violations';
const params = z.object({ id: numericId });
const noViolation = 'There is no such violation.';

/** Specification, Endpoints, Traffic violations. */
export const trafficViolationEndpoints = {
  list: defineEndpoint({
    operationId: 'listTrafficViolations',
    summary: 'Traffic violations of the organization',
    part,
    method: 'get',
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
  read: defineEndpoint({
    operationId: 'readTrafficViolation',
    summary: 'One traffic violation',
    part,
    method: 'get',
    path: '/v1/traffic-violations/{id}',
    params,
    response: { status: 200, description: 'The violation.', schema: one(trafficViolation) },
    errors: { 404: noViolation },
  }),
  readViolationNotice: defineEndpoint({
    operationId: 'readViolationNotice',
    summary: 'Address of the violation notice, valid for 15 minutes',
    part,
    method: 'get',
    path: '/v1/traffic-violations/{id}/violation-notice',
    params,
    response: fileResponse,
    errors: { 404: 'There is no such violation, or no violation notice yet.' },
  }),
  readPenaltyNotice: defineEndpoint({
    operationId: 'readPenaltyNotice',
    summary: 'Address of the penalty notice, valid for 15 minutes',
    part,
    method: 'get',
    path: '/v1/traffic-violations/{id}/penalty-notice',
    params,
    response: fileResponse,
    errors: { 404: 'There is no such violation, or no penalty notice yet.' },
  }),
};
