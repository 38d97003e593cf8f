import type { RecordFixtures } from '../kit/record-fixtures.ts';

/** The input of a request that must get a given status. */
export interface SampleInput {
  /** Value of `{id}` in the path. */
  readonly id?: number | string;
  /** Value of `{indicationId}` in the path. */
  readonly indicationId?: number;
  readonly body?: object;
  /** Expected label of an error, if it is not the default of the status. */
  readonly label?: string;
  /** Expected message of an error, if the specification gives it; null for an error with only a label. */
  readonly message?: string | null;
}

/** Creates the records that a request needs and returns its input. */
export type SampleRequest = (setup: RecordFixtures) => Promise<SampleInput>;

/** Sample requests by endpoint (`get /v1/companies/{id}`) and status. */
export type SampleRequests = Readonly<Record<string, Readonly<Record<number, SampleRequest>>>>;

/** An id that no record has. */
export const UNKNOWN_ID = 77;

/** Requests a record that does not exist. @param message that the specification gives. */
export const missing =
  (message: string, more: SampleInput = {}): SampleRequest =>
  async () => ({ id: UNKNOWN_ID, message, ...more });

export const noCompany = (more?: SampleInput) => missing('Company with id 77 not found', more);
export const noUser = (more?: SampleInput) => missing('User with id 77 not found', more);
export const noConsoleUser = (more?: SampleInput) => missing('Console user with id 77 not found', more);
export const noViolation = (more?: SampleInput) => missing('Traffic violation with id 77 not found', more);
export const noAnttViolation = missing('ANTT violation with id 77 not found');
export const noCharge = missing('Charge with id 77 not found');
export const noTicket = missing('Ticket with id 77 not found');
