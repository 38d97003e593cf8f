import type { z } from 'zod';
import type { Family } from './family.ts';
import { anttViolation } from './record/antt-violation.ts';
import { anttViolationTicket } from './record/antt-violation-ticket.ts';
import { charge } from './record/charge.ts';
import { chargePaymentSlip } from './record/charge-payment-slip.ts';
import { company } from './record/company.ts';
import { consoleUser } from './record/console-user.ts';
import {
  companyLoginAttempt,
  companyLoginFailure,
  companyLoginSession,
  userLoginAttempt,
  userLoginSession,
} from './record/login-attempt.ts';
import { trafficViolation } from './record/traffic-violation.ts';
import { trafficViolationIndication } from './record/traffic-violation-indication.ts';
import { trafficViolationTicket } from './record/traffic-violation-ticket.ts';

/** One event kind of the contract. */
export interface CatalogueEntry {
  /** The envelope's `type`. */
  readonly kind: string;
  readonly family: Family;
  /** Of the envelope's `data`. Checks, and changes nothing: unknown fields are kept. */
  readonly schema: z.ZodObject<z.ZodRawShape, z.core.$loose>;
  readonly title: string;
  readonly description: string;
  /** The section of the specification that describes the payload. */
  readonly section: string;
}

const LOGIN = 'Events, Login attempt payload fields';

/** Every event kind that the specification gives a payload, in its order (Events, Event kinds). */
export const catalogue = withKinds({
  'company.created': {
    family: 'company',
    schema: company,
    title: 'Company created',
    description: 'A company was added to the organization. Carries it in full.',
    section: 'Resources, Company',
  },
  'company.updated': {
    family: 'company',
    schema: company,
    title: 'Company updated',
    description: 'A company changed. Carries it in full.',
    section: 'Resources, Company',
  },
  'company.certificate.updated': {
    family: 'company',
    schema: company,
    title: 'Company certificate updated',
    description: "A company's digital certificate changed. Carries the company in full.",
    section: 'Resources, Company',
  },
  'company.sne.updated': {
    family: 'company',
    schema: company,
    title: 'Company SNE updated',
    description:
      "A company's registration with the electronic notification system changed. Carries the company in full.",
    section: 'Resources, Company',
  },
  'company.login.connected': {
    family: 'company-login',
    schema: companyLoginSession,
    title: 'Company login connected',
    description: "A company's session with the portal became active.",
    section: LOGIN,
  },
  'company.login.disconnected': {
    family: 'company-login',
    schema: companyLoginSession,
    title: 'Company login disconnected',
    description: "A company's session with the portal ended, for example expired.",
    section: LOGIN,
  },
  'company.login.started': {
    family: 'company-login',
    schema: companyLoginAttempt,
    title: 'Company login started',
    description: 'A login attempt of a company began.',
    section: LOGIN,
  },
  'company.login.step.updated': {
    family: 'company-login',
    schema: companyLoginAttempt,
    title: 'Company login step updated',
    description: 'A login attempt of a company entered a step, or repeats one after a refusal.',
    section: LOGIN,
  },
  'company.login.succeeded': {
    family: 'company-login',
    schema: companyLoginAttempt,
    title: 'Company login succeeded',
    description: 'A login attempt of a company ended well.',
    section: LOGIN,
  },
  'company.login.failed': {
    family: 'company-login',
    schema: companyLoginFailure,
    title: 'Company login failed',
    description: 'A login attempt of a company failed: refused by the portal, or a technical error.',
    section: LOGIN,
  },
  'user.login.connected': {
    family: 'user-login',
    schema: userLoginSession,
    title: 'User login connected',
    description: "An individual user's session with the portal became active.",
    section: LOGIN,
  },
  'user.login.disconnected': {
    family: 'user-login',
    schema: userLoginSession,
    title: 'User login disconnected',
    description: "An individual user's session with the portal ended, for example expired.",
    section: LOGIN,
  },
  'user.login.started': {
    family: 'user-login',
    schema: userLoginAttempt,
    title: 'User login started',
    description: 'A login attempt of an individual user began.',
    section: LOGIN,
  },
  'user.login.step.updated': {
    family: 'user-login',
    schema: userLoginAttempt,
    title: 'User login step updated',
    description: 'A login attempt of an individual user entered a step, or repeats one after a refusal.',
    section: LOGIN,
  },
  'user.login.succeeded': {
    family: 'user-login',
    schema: userLoginAttempt,
    title: 'User login succeeded',
    description: 'A login attempt of an individual user ended well.',
    section: LOGIN,
  },
  'console-user.created': {
    family: 'console-user',
    schema: consoleUser,
    title: 'Console user created',
    description: 'A user of the console was created.',
    section: 'Resources, Console user',
  },
  'console-user.updated': {
    family: 'console-user',
    schema: consoleUser,
    title: 'Console user updated',
    description: 'A user of the console changed.',
    section: 'Resources, Console user',
  },
  'console-user.deleted': {
    family: 'console-user',
    schema: consoleUser,
    title: 'Console user deleted',
    description: 'A user of the console was removed. Carries the removed user.',
    section: 'Resources, Console user',
  },
  'antt-violation.created': {
    family: 'antt-violation',
    schema: anttViolation,
    title: 'ANTT violation created',
    description: 'A violation of ANTT rules was found.',
    section: 'Resources, ANTT violation',
  },
  'antt-violation.updated': {
    family: 'antt-violation',
    schema: anttViolation,
    title: 'ANTT violation updated',
    description: 'A violation of ANTT rules changed.',
    section: 'Resources, ANTT violation',
  },
  'antt-violation.ticket.created': {
    family: 'antt-violation-ticket',
    schema: anttViolationTicket,
    title: 'ANTT violation payment slip created',
    description: 'A payment slip of an ANTT violation was requested.',
    section: 'Resources, ANTT violation payment slip',
  },
  'antt-violation.ticket.updated': {
    family: 'antt-violation-ticket',
    schema: anttViolationTicket,
    title: 'ANTT violation payment slip updated',
    description: 'A payment slip of an ANTT violation changed, for example was issued.',
    section: 'Resources, ANTT violation payment slip',
  },
  'traffic-violation.created': {
    family: 'traffic-violation',
    schema: trafficViolation,
    title: 'Traffic violation created',
    description: 'A traffic violation was found.',
    section: 'Resources, Traffic violation',
  },
  'traffic-violation.updated': {
    family: 'traffic-violation',
    schema: trafficViolation,
    title: 'Traffic violation updated',
    description: 'A traffic violation changed.',
    section: 'Resources, Traffic violation',
  },
  'traffic-violation.ticket.created': {
    family: 'traffic-violation-ticket',
    schema: trafficViolationTicket,
    title: 'Traffic violation payment slip created',
    description: 'A payment slip of a traffic violation was requested.',
    section: 'Resources, Traffic violation payment slip',
  },
  'traffic-violation.ticket.updated': {
    family: 'traffic-violation-ticket',
    schema: trafficViolationTicket,
    title: 'Traffic violation payment slip updated',
    description: 'A payment slip of a traffic violation changed, for example was issued.',
    section: 'Resources, Traffic violation payment slip',
  },
  'traffic-violation.indication.created': {
    family: 'traffic-violation-indication',
    schema: trafficViolationIndication,
    title: 'Driver indication created',
    description: 'A driver was indicated for a traffic violation.',
    section: 'Resources, Driver indication',
  },
  'traffic-violation.indication.updated': {
    family: 'traffic-violation-indication',
    schema: trafficViolationIndication,
    title: 'Driver indication updated',
    description: 'The indication of a driver, or the document to sign for it, changed.',
    section: 'Resources, Driver indication',
  },
  'charge.created': {
    family: 'charge',
    schema: charge,
    title: 'Charge created',
    description: 'A charge was found.',
    section: 'Resources, Charge',
  },
  'charge.updated': {
    family: 'charge',
    schema: charge,
    title: 'Charge updated',
    description: 'A charge changed.',
    section: 'Resources, Charge',
  },
  'charge.payment-slip.created': {
    family: 'charge-payment-slip',
    schema: chargePaymentSlip,
    title: 'Charge payment slip created',
    description: 'A payment slip of a charge was requested.',
    section: 'Resources, Charge payment slip',
  },
  'charge.payment-slip.updated': {
    family: 'charge-payment-slip',
    schema: chargePaymentSlip,
    title: 'Charge payment slip updated',
    description: 'A payment slip of a charge changed, for example was issued.',
    section: 'Resources, Charge payment slip',
  },
});

/** A kind of the contract. */
export type EventKind = keyof typeof catalogue;

/** What an event of kind `Kind` carries; of several kinds, any of theirs. */
export type DataOf<Kind extends EventKind> = z.infer<(typeof catalogue)[Kind]['schema']>;

/** The 32 kinds in the specification's order. */
export const eventKinds: readonly EventKind[] = Object.keys(catalogue) as EventKind[];

/** Whether the contract knows the kind. Any other is unrecognized, not wrong. */
export function isEventKind(text: string): text is EventKind {
  return Object.hasOwn(catalogue, text);
}

type Entries = Readonly<Record<string, Omit<CatalogueEntry, 'kind'>>>;

function withKinds<const Given extends Entries>(
  entries: Given,
): { readonly [Kind in keyof Given & string]: Given[Kind] & { readonly kind: Kind } } {
  const named = Object.entries(entries).map(([kind, entry]) => [kind, { kind, ...entry }]);
  return Object.fromEntries(named) as ReturnType<typeof withKinds<Given>>;
}
