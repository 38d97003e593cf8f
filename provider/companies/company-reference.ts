/** The columns of a joined row that hold the company of a record. */
export interface CompanyReferenceColumns {
  readonly company_id: number;
  readonly company_external_uid: string | null;
  readonly company_name: string;
  readonly company_tax_id: string;
}

/** Selects {@link CompanyReferenceColumns}. */
export const companyReferenceColumns = [
  'companies.id as company_id',
  'companies.external_uid as company_external_uid',
  'companies.name as company_name',
  'companies.tax_id as company_tax_id',
] as const;

/** Webhooks carry the CNPJ of the company, responses do not (specification, Resources, ANTT violation and Charge). */
export type Audience = 'response' | 'webhook';

/** Builds the `company` field of a record. */
export function companyReference(row: CompanyReferenceColumns, audience: Audience) {
  return {
    id: row.company_id,
    external_uid: row.company_external_uid,
    ...(audience === 'webhook' && { tax_id: row.company_tax_id }),
    name: row.company_name,
  };
}
