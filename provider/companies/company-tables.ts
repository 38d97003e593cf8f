import type { Generated } from 'kysely';

export type CertificateStatus = 'valid' | 'expired' | 'not_provided';

export interface CompanyTables {
  companies: {
    id: Generated<number>;
    organization_id: number;
    tax_id: string;
    name: string;
    login_username: string | null;
    external_uid: string | null;
    certificate_status: CertificateStatus;
    certificate_issue_date: string | null;
    certificate_expiration_date: string | null;
    address: string | null;
    city: string | null;
    state: string | null;
    postal_code: string | null;
    created_at: string;
    updated_at: string;
  };
}
