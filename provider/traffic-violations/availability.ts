/** Whether a traffic violation allows an indication or a discount. */
import { sql, type Selectable } from 'kysely';
import type { TablesOf } from '../database/table.ts';
import type { Comparison } from '../list/matching.ts';
import type { trafficViolationTable, ViolationStatus } from './traffic-violation-tables.ts';

type Violation = Selectable<TablesOf<typeof trafficViolationTable>['traffic_violations']>;

/** Statuses of a violation for which a driver can be indicated. */
const openStatuses: readonly ViolationStatus[] = ['pending', 'citation'];

/**
 * Returns why no driver can be indicated for a violation, or null when one can
 * (specification, States and transitions, indication). The day of the deadline
 * still counts.
 *
 * @param today in Brazil, `YYYY-MM-DD`.
 */
export function indicationUnavailableReason(
  { status, indication_deadline }: Pick<Violation, 'status' | 'indication_deadline'>,
  today: string,
): string | null {
  if (!openStatuses.includes(status))
    return `A driver can be indicated only for a violation with status ${openStatuses.join(' or ')}, not ${status}`;
  if (indication_deadline === null) return 'The violation has no deadline for indications';
  return today > indication_deadline ? `The deadline for indications was ${indication_deadline}` : null;
}

/** The filter `indication_availability`: the same rule in SQL, compared with true or false. */
export function indicationAvailability(today: string): Comparison {
  const isOpen = sql`traffic_violations.status in (${sql.join(openStatuses)})`;
  const isInTime = sql`ifnull(traffic_violations.indication_deadline, '') >= ${today}`;
  return ({ value }) =>
    value === true ? sql`(${isOpen} and ${isInTime})` : sql`not (${isOpen} and ${isInTime})`;
}

type PayableViolation = Pick<Violation, 'payable' | 'due_date' | 'preliminary_appeal_deadline'>;

/** Why each discount is unavailable, in Portuguese for end users; null when it is available. */
export interface DiscountUnavailableReasons {
  /** For the discount of 40 %. */
  readonly full: string | null;
  /** For the discount of 20 %. */
  readonly partial: string | null;
}

/**
 * Returns why the discounts of a violation are unavailable. The discount of 20 %
 * ends with the due date, that of 40 % also with the deadline of the prior
 * defense, both days included (specification, Limits).
 *
 * @param today in Brazil, `YYYY-MM-DD`.
 */
export function discountUnavailableReasons(
  violation: PayableViolation,
  today: string,
): DiscountUnavailableReasons {
  const partial = noPaymentReason(violation, today);
  const { preliminary_appeal_deadline: deadline } = violation;
  const full = deadline === null || today > deadline ? 'Prazo de defesa prévia encerrado' : null;
  return { full: partial ?? full, partial };
}

function noPaymentReason({ payable, due_date }: PayableViolation, today: string): string | null {
  if (payable === 0) return 'Infração não disponível para pagamento';
  if (due_date === null) return 'Infração sem data de vencimento';
  return today > due_date ? 'Prazo de vencimento encerrado' : null;
}
