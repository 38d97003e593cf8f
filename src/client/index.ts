/** The typed client of the provider's REST API: the entry point `portaria/client`. */
export { createClient } from './create-client.ts';
export type { CallOptions, Client, FiltersOf, PageQuery } from './client.ts';
export type { ClientOptions, Fetch } from './client-options.ts';
export { ClientError, type ClientErrorCode } from './client-error.ts';
export type { Drift, DriftIssue } from './drift.ts';
export { PortariaError } from '../kernel/errors.ts';
