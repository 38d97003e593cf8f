import { sql, type Selectable } from 'kysely';
import type { Comparison } from '../list/matching.ts';
import type { TrafficViolationTables, ViolationStatus } from './traffic-violation-tables.ts';

type Violation = Pick<
  Selectable<TrafficViolationTables['traffic_violations']>,
  'status' | 'indication_deadline'
>;

const openStatuses: readonly ViolationStatus[] = ['pending', 'citation'];

/**
 * Why no driver can be indicated any more, or null (specification, States and
 * transitions, indication). The deadline is the last day.
 *
 * @param today in Brazil, `YYYY-MM-DD`.
 */
export function whyNoIndication({ status, indication_deadline }: Violation, today: string): string | null {
  if (!openStatuses.includes(status))
    return `An indication takes a violation with status ${openStatuses.join(' or ')}, not ${status}`;
  if (indication_deadline === null) return 'The violation has no deadline for indications';
  return today > indication_deadline ? `The deadline for indications was ${indication_deadline}` : null;
}

/** The same for lists: compares with true or false. */
export function indicationAvailability(today: string): Comparison {
  const isOpen = sql`traffic_violations.status in (${sql.join(openStatuses)})`;
  const isInTime = sql`ifnull(traffic_violations.indication_deadline, '') >= ${today}`;
  return ({ value }) =>
    value === true ? sql`(${isOpen} and ${isInTime})` : sql`not (${isOpen} and ${isInTime})`;
}
