import type { Selectable } from 'kysely';
import type { TrafficViolationTables } from './traffic-violation-tables.ts';

type Violation = Pick<
  Selectable<TrafficViolationTables['traffic_violations']>,
  'payable' | 'due_date' | 'preliminary_appeal_deadline'
>;

/** Why a slip cannot have the discount; null when it can. Shown to people, so in their language. */
export interface DiscountReasons {
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
export function discountReasons(violation: Violation, today: string): DiscountReasons {
  const partial = whyNone(violation, today);
  const { preliminary_appeal_deadline: deadline } = violation;
  const full = deadline === null || today > deadline ? 'Prazo de defesa prévia encerrado' : null;
  return { full: partial ?? full, partial };
}

function whyNone({ payable, due_date }: Violation, today: string): string | null {
  if (payable === 0) return 'Infração não disponível para pagamento';
  if (due_date === null) return 'Infração sem data de vencimento';
  return today > due_date ? 'Prazo de vencimento encerrado' : null;
}
