import type { WalkedWorld } from '../walked-world.ts';

/** A request of one row of the specification that must get one of its statuses. */
export interface Provoked {
  /** For `{id}` in the row's path. */
  readonly id?: number | string;
  /** For `{indicationId}`. */
  readonly indicationId?: number;
  readonly body?: object;
  /** Of a failure, where it is another than the status's own. */
  readonly label?: string;
  /** Of a failure, where the specification has its words. Null for a failure that has only a label. */
  readonly message?: string | null;
}

/** Makes what there must be, then says what to ask. */
export type Provocation = (world: WalkedWorld) => Promise<Provoked>;

/** By row (`get /v1/companies/{id}`) and status. */
export type Provocations = Readonly<Record<string, Readonly<Record<number, Provocation>>>>;

/** An id that no record has. */
export const NOBODY = 77;

/** Asks for something that there is not. @param message what the specification says then. */
export const missing =
  (message: string, more: Provoked = {}): Provocation =>
  async () => ({ id: NOBODY, message, ...more });

export const noCompany = (more?: Provoked) => missing('Company with id 77 not found', more);
export const noUser = (more?: Provoked) => missing('User with id 77 not found', more);
export const noConsoleUser = (more?: Provoked) => missing('Console user with id 77 not found', more);
export const noViolation = (more?: Provoked) => missing('Traffic violation with id 77 not found', more);
export const noAnttViolation = missing('ANTT violation with id 77 not found');
export const noCharge = missing('Charge with id 77 not found');
export const noTicket = missing('Ticket with id 77 not found');
