/**
 * The kind of record that an event is about. Ids of different families can collide, so the family is part of a
 * subject's identity.
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

/** The section of the specification that describes the payload of each family. */
export const sections: Readonly<Record<Family, string>> = {
  company: 'Resources, Company',
  'company-login': 'Events, Login attempt payload fields',
  'user-login': 'Events, Login attempt payload fields',
  'console-user': 'Resources, Console user',
  'antt-violation': 'Resources, ANTT violation',
  'antt-violation-ticket': 'Resources, ANTT violation payment slip',
  'traffic-violation': 'Resources, Traffic violation',
  'traffic-violation-ticket': 'Resources, Traffic violation payment slip',
  'traffic-violation-indication': 'Resources, Driver indication',
  charge: 'Resources, Charge',
  'charge-payment-slip': 'Resources, Charge payment slip',
};

/** Guesses the family of a kind that the contract does not describe: the kind up to its last dot, with dashes. */
export function guessedFamily(kind: string): string {
  const lastDot = kind.lastIndexOf('.');
  const family = lastDot > 0 ? kind.slice(0, lastDot) : kind;
  // In `family:id` a colon would end the family.
  return family.replaceAll(/[.:\s]/g, '-');
}
