/** The kinds of the specification, with their schemas. */
import type { z } from 'zod';
import type { JsonValue } from '../kernel/json/json.ts';
import { sections, type Family } from './family.ts';
import { anttViolation, anttViolationTicket } from './record/antt-violation.ts';
import { charge, chargePaymentSlip } from './record/charge.ts';
import { company } from './record/company.ts';
import { consoleUser } from './record/console-user.ts';
import {
  companyLoginAttempt,
  companyLoginFailure,
  companyLoginSession,
  userLoginAttempt,
  userLoginSession,
} from './record/login.ts';
import { trafficViolation, trafficViolationTicket } from './record/traffic-violation.ts';
import { trafficViolationIndication } from './record/indication.ts';

/** One event kind of the contract. */
export interface CatalogueEntry {
  /** The envelope's `type`. */
  readonly kind: string;
  readonly family: Family;
  /** The schema of the envelope's `data`. It changes nothing, and accepts unknown fields. */
  readonly schema: z.ZodObject<z.ZodRawShape, z.core.$loose>;
  readonly title: string;
  readonly description: string;
  /** The section of the specification that describes the payload. */
  readonly section: string;
}

const companies = { family: 'company', schema: company } as const;
const companyLogins = { family: 'company-login' } as const;
const userLogins = { family: 'user-login' } as const;
const consoleUsers = { family: 'console-user', schema: consoleUser } as const;
const anttViolations = { family: 'antt-violation', schema: anttViolation } as const;
const anttViolationTickets = { family: 'antt-violation-ticket', schema: anttViolationTicket } as const;
const trafficViolations = { family: 'traffic-violation', schema: trafficViolation } as const;
const trafficViolationTickets = {
  family: 'traffic-violation-ticket',
  schema: trafficViolationTicket,
} as const;
const indications = { family: 'traffic-violation-indication', schema: trafficViolationIndication } as const;
const charges = { family: 'charge', schema: charge } as const;
const chargePaymentSlips = { family: 'charge-payment-slip', schema: chargePaymentSlip } as const;

/** Every event kind for which the specification describes a payload, in its order (Events, Event kinds). */
export const catalogue = withKinds({
  'company.created': {
    ...companies,
    title: 'Company created',
    description: 'A company was added to the organization. Carries it in full.',
  },
  'company.updated': {
    ...companies,
    title: 'Company updated',
    description: 'A company changed. Carries it in full.',
  },
  'company.certificate.updated': {
    ...companies,
    title: 'Company certificate updated',
    description: "A company's digital certificate changed. Carries the company in full.",
  },
  'company.sne.updated': {
    ...companies,
    title: 'Company SNE updated',
    description:
      "A company's registration with the electronic notification system changed. Carries the company in full.",
  },
  'company.login.connected': {
    ...companyLogins,
    schema: companyLoginSession,
    title: 'Company login connected',
    description: "A company's session with the portal became active.",
  },
  'company.login.disconnected': {
    ...companyLogins,
    schema: companyLoginSession,
    title: 'Company login disconnected',
    description: "A company's session with the portal ended, for example expired.",
  },
  'company.login.started': {
    ...companyLogins,
    schema: companyLoginAttempt,
    title: 'Company login started',
    description: 'A login attempt of a company began.',
  },
  'company.login.step.updated': {
    ...companyLogins,
    schema: companyLoginAttempt,
    title: 'Company login step updated',
    description: 'A login attempt of a company entered a step, or repeats one that was rejected.',
  },
  'company.login.succeeded': {
    ...companyLogins,
    schema: companyLoginAttempt,
    title: 'Company login succeeded',
    description: 'A login attempt of a company succeeded.',
  },
  'company.login.failed': {
    ...companyLogins,
    schema: companyLoginFailure,
    title: 'Company login failed',
    description: 'A login attempt of a company failed: rejected by the portal, or a technical error.',
  },
  'user.login.connected': {
    ...userLogins,
    schema: userLoginSession,
    title: 'User login connected',
    description: "An individual user's session with the portal became active.",
  },
  'user.login.disconnected': {
    ...userLogins,
    schema: userLoginSession,
    title: 'User login disconnected',
    description: "An individual user's session with the portal ended, for example expired.",
  },
  'user.login.started': {
    ...userLogins,
    schema: userLoginAttempt,
    title: 'User login started',
    description: 'A login attempt of an individual user began.',
  },
  'user.login.step.updated': {
    ...userLogins,
    schema: userLoginAttempt,
    title: 'User login step updated',
    description: 'A login attempt of an individual user entered a step, or repeats one that was rejected.',
  },
  'user.login.succeeded': {
    ...userLogins,
    schema: userLoginAttempt,
    title: 'User login succeeded',
    description: 'A login attempt of an individual user succeeded.',
  },
  'console-user.created': {
    ...consoleUsers,
    title: 'Console user created',
    description: 'A user of the console was created.',
  },
  'console-user.updated': {
    ...consoleUsers,
    title: 'Console user updated',
    description: 'A user of the console changed.',
  },
  'console-user.deleted': {
    ...consoleUsers,
    title: 'Console user deleted',
    description: 'A user of the console was removed. Carries the removed user.',
  },
  'antt-violation.created': {
    ...anttViolations,
    title: 'ANTT violation created',
    description: 'A violation of ANTT rules was found.',
  },
  'antt-violation.updated': {
    ...anttViolations,
    title: 'ANTT violation updated',
    description: 'A violation of ANTT rules changed.',
  },
  'antt-violation.ticket.created': {
    ...anttViolationTickets,
    title: 'ANTT violation payment slip created',
    description: 'A payment slip of an ANTT violation was requested.',
  },
  'antt-violation.ticket.updated': {
    ...anttViolationTickets,
    title: 'ANTT violation payment slip updated',
    description: 'A payment slip of an ANTT violation changed, for example was issued.',
  },
  'traffic-violation.created': {
    ...trafficViolations,
    title: 'Traffic violation created',
    description: 'A traffic violation was found.',
  },
  'traffic-violation.updated': {
    ...trafficViolations,
    title: 'Traffic violation updated',
    description: 'A traffic violation changed.',
  },
  'traffic-violation.ticket.created': {
    ...trafficViolationTickets,
    title: 'Traffic violation payment slip created',
    description: 'A payment slip of a traffic violation was requested.',
  },
  'traffic-violation.ticket.updated': {
    ...trafficViolationTickets,
    title: 'Traffic violation payment slip updated',
    description: 'A payment slip of a traffic violation changed, for example was issued.',
  },
  'traffic-violation.indication.created': {
    ...indications,
    title: 'Driver indication created',
    description: 'A driver was indicated for a traffic violation.',
  },
  'traffic-violation.indication.updated': {
    ...indications,
    title: 'Driver indication updated',
    description: 'The indication of a driver, or the document to sign for it, changed.',
  },
  'charge.created': { ...charges, title: 'Charge created', description: 'A charge was found.' },
  'charge.updated': { ...charges, title: 'Charge updated', description: 'A charge changed.' },
  'charge.payment-slip.created': {
    ...chargePaymentSlips,
    title: 'Charge payment slip created',
    description: 'A payment slip of a charge was requested.',
  },
  'charge.payment-slip.updated': {
    ...chargePaymentSlips,
    title: 'Charge payment slip updated',
    description: 'A payment slip of a charge changed, for example was issued.',
  },
});

/** An event kind of the contract. */
export type EventKind = keyof typeof catalogue;

/** The type of `data` of an event kind; the union for several kinds. */
export type DataOf<Kind extends EventKind> = z.infer<(typeof catalogue)[Kind]['schema']>;

/**
 * Returns the payload of an event with every field that was sent, declared or not. The types of payloads have
 * the declared fields only, so that a misspelled name does not compile; a field that the contract does not know
 * yet is read by `undeclaredFields(event.data)['archived_reason']`.
 *
 * Nothing has checked an undeclared field: its value may be anything that JSON can hold.
 */
export function undeclaredFields(data: object): Readonly<Record<string, JsonValue | undefined>> {
  return data as Readonly<Record<string, JsonValue | undefined>>;
}

/** All event kinds in the specification's order. */
export const eventKinds: readonly EventKind[] = Object.keys(catalogue) as EventKind[];

/** Whether the contract contains the kind. Any other kind is unrecognized, which is not an error. */
export function isEventKind(text: string): text is EventKind {
  return Object.hasOwn(catalogue, text);
}

type Entries = Readonly<Record<string, Omit<CatalogueEntry, 'kind' | 'section'>>>;

function withKinds<const Given extends Entries>(
  entries: Given,
): {
  readonly [Kind in keyof Given & string]: Given[Kind] & { readonly kind: Kind; readonly section: string };
} {
  const named = Object.entries(entries).map(([kind, entry]) => [
    kind,
    { kind, section: sections[entry.family], ...entry },
  ]);
  return Object.fromEntries(named) as ReturnType<typeof withKinds<Given>>;
}
