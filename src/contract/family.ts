/**
 * The sorts of record that events are about. The ids of different families may
 * collide, so the family is part of a subject's identity.
 */
export type Family =
  | 'company'
  | 'company-login'
  | 'user-login'
  | 'console-user'
  | 'antt-violation'
  | 'antt-violation-ticket'
  | 'traffic-violation'
  | 'traffic-violation-ticket'
  | 'traffic-violation-indication'
  | 'charge'
  | 'charge-payment-slip';
