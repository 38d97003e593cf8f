/**
 * The next status of a payment slip, with the columns that change with it.
 * `Payment` has the columns of the means of payment, set when the slip is issued.
 */
export type SlipTransition<Payment extends object> =
  | { readonly status: 'requested' }
  | (Issued & Payment)
  | { readonly status: 'rejected' | 'failed'; readonly status_reason: string };

interface Issued {
  readonly status: 'issued';
  /** In reais; null lets the payer choose. */
  readonly amount: number | null;
  /** `YYYY-MM-DD`, when the agency changes it. */
  readonly due_date?: string;
}
