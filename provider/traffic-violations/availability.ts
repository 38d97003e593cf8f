import { sql, type Selectable } from 'kysely';
import type { Comparison } from '../list/matching.ts';
import type { TrafficViolationTables, ViolationStatus } from './traffic-violation-tables.ts';

type Violation = Selectable<TrafficViolationTables['traffic_violations']>;

const openStatuses: readonly ViolationStatus[] = ['pending', 'citation'];

/**
 * Why no driver can be indicated any more, or null (specification, States and
 * transitions, indication). The deadline is the last day.
 *
 * @param today in Brazil, `YYYY-MM-DD`.
 */
export function indicationUnavailableReason(
  { status, indication_deadline }: Pick<Violation, 'status' | 'indication_deadline'>,
  today: string,
): string | null {
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

type PayableViolation = Pick<Violation, 'payable' | 'due_date' | 'preliminary_appeal_deadline'>;

/** Why a slip cannot have the discount; null when it can. Shown to people, so in their language. */
export interface DiscountUnavailableReasons {
  /** Of 40 %. */
  readonly full: string | null;
  /** Of 20 %. */
  readonly partial: string | null;
}

/**
 * A discount is open up to the due date, and that of 40 % also up to the
 * deadline of the prior defense, both days included (specification, Limits).
 *
 * @param today in Brazil, `YYYY-MM-DD`.
 */
export function discountUnavailableReasons(
  violation: PayableViolation,
  today: string,
): DiscountUnavailableReasons {
  const partial = whyNone(violation, today);
  const { preliminary_appeal_deadline: deadline } = violation;
  const full = deadline === null || today > deadline ? 'Prazo de defesa prévia encerrado' : null;
  return { full: partial ?? full, partial };
}

function whyNone({ payable, due_date }: PayableViolation, today: string): string | null {
  if (payable === 0) return 'Infração não disponível para pagamento';
  if (due_date === null) return 'Infração sem data de vencimento';
  return today > due_date ? 'Prazo de vencimento encerrado' : null;
}
