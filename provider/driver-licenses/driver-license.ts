/** Drivers and their licences in the national registry: their tables, their record and their list. */
import type { licenseStatuses } from '../../src/contract/record/driver-license.ts';
import { id, integerOrNull, organization, table, text, textOrNull } from '../database/table.ts';
import { HttpError } from '../http/http-error.ts';
import { records } from '../list/records.ts';

export type LicenseStatus = (typeof licenseStatuses)[number];

/** The licences of the national registry. A holder need not be a driver of the organization. */
export const registryLicenseTable = table(
  'registry_licenses',
  {
    organization_id: organization,
    /** CPF of the holder. A person has one licence at most. */
    tax_id: text(),
    license: textOrNull(),
    name: textOrNull(),
    points: integerOrNull(),
    status: textOrNull<LicenseStatus>(),
    /** `YYYY-MM-DD` */
    issue_date: textOrNull(),
    /** `YYYY-MM-DD` */
    expiration_date: textOrNull(),
  },
  { constraints: ['primary key (organization_id, tax_id)'], withoutRowid: true },
);

export const driverTable = table(
  'drivers',
  { id, organization_id: organization, tax_id: text(), created_at: text() },
  {
    constraints: [
      'unique (organization_id, tax_id)',
      'foreign key (organization_id, tax_id) references registry_licenses (organization_id, tax_id)',
    ],
    also: 'create index drivers_by_organization on drivers (organization_id);',
  },
);

/** The licences of the organization's drivers, by the ids of the drivers. */
export const driverLicenses = records({
  tables: [driverTable, registryLicenseTable],
  missing: noLicense,
  select: (query) =>
    query
      .selectFrom('drivers')
      .innerJoin('registry_licenses', (join) =>
        join
          .onRef('registry_licenses.organization_id', '=', 'drivers.organization_id')
          .onRef('registry_licenses.tax_id', '=', 'drivers.tax_id'),
      )
      .selectAll(['registry_licenses', 'drivers']),
  json: (row) => ({
    id: row.id,
    license: row.license,
    name: row.name,
    tax_id: row.tax_id,
    points: row.points,
    status: row.status,
    issue_date: asDateTime(row.issue_date),
    expiration_date: asDateTime(row.expiration_date),
    created_at: row.created_at,
  }),
});

/** Converts a day to the date-time of the resource: midnight in UTC, so that the prefix is the day. */
function asDateTime(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00.000Z`;
}

/** The error of a missing licence. It has a label in Portuguese, and no message (specification, Errors). */
export function noLicense(): HttpError {
  return new HttpError(404, '', 'CNH não encontrada');
}
