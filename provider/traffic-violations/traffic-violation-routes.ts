import { trafficViolationEndpoints } from '../../src/contract/api/traffic-violation-endpoints.ts';
import { brazilianDay } from '../brazilian-day.ts';
import { Refusal } from '../http/refusal.ts';
import { route } from '../http/route.ts';
import { listTrafficViolations } from './list-traffic-violations.ts';
import { findTrafficViolation } from './read-traffic-violation.ts';
import { trafficViolationRecord } from './traffic-violation-record.ts';
import { noticeAddress } from './violation-notices.ts';

/** Specification, Endpoints, Traffic violations; their payment slips have a folder of their own. */
export const trafficViolationRoutes = [
  route(trafficViolationEndpoints.list, ({ organization, conditions, page }, provider) =>
    listTrafficViolations(provider, organization, conditions, page),
  ),
  route(trafficViolationEndpoints.read, async ({ organization, params }, { query, clock }) => {
    const row = await findTrafficViolation(query, organization, params.id);
    // Only a label, and a localized one (specification, Errors).
    if (row === undefined) throw new Refusal(404, '', 'Infração não encontrada');
    return { data: trafficViolationRecord(row, brazilianDay(clock.now()), 'answer') };
  }),
  route(trafficViolationEndpoints.readViolationNotice, async ({ organization, params }, provider) => ({
    data: await noticeAddress(provider, organization, 'violation-notice', params.id),
  })),
  route(trafficViolationEndpoints.readPenaltyNotice, async ({ organization, params }, provider) => ({
    data: await noticeAddress(provider, organization, 'penalty-notice', params.id),
  })),
];
