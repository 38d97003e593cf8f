import { testEvent } from '../../../src/testing/test-event.ts';

/** The statuses of an indication, in the order of the specification. */
export const statuses = [
  'pending',
  'review',
  'accepted',
  'filed',
  'expired',
  'rejected',
  'failed',
  'voided',
  'canceled',
] as const;
type Status = (typeof statuses)[number];

/** Returns a function that creates events of one indication, each a second after the last. */
export function indication() {
  let second = 0;
  return (
    status: Status,
    document: string | null,
    data: object = {},
    action: 'created' | 'updated' = 'updated',
  ) => {
    const updated_at = new Date(Date.UTC(2026, 10, 11, 14, 0, (second += 1))).toISOString();
    const document_signed_at = document === 'signed' ? '2026-11-11T14:00:00Z' : null;
    const fields = {
      id: 7,
      status,
      document_status: document,
      document_signed_at,
      status_reason: null,
      updated_at,
      ...data,
    };
    return testEvent(`traffic-violation.indication.${action}`, { data: fields });
  };
}
