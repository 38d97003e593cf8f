import type { Generated } from 'kysely';
import type { licenseStatuses } from '../../src/contract/record/driver-license.ts';

export type LicenseStatus = (typeof licenseStatuses)[number];

export interface DriverLicenseTables {
  /** What a look-up in the national registry finds, whether its holder is a driver of the organization or not. */
  registry_licenses: {
    organization_id: number;
    /** CPF of the holder, who has one licence at most. */
    tax_id: string;
    license: string | null;
    name: string | null;
    points: number | null;
    status: LicenseStatus | null;
    /** Days, `YYYY-MM-DD`. */
    issue_date: string | null;
    expiration_date: string | null;
  };
  drivers: {
    id: Generated<number>;
    organization_id: number;
    tax_id: string;
    created_at: string;
  };
}
