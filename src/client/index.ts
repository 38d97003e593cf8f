/** The typed client of the provider's REST API, as an application or a handler imports it. */
export { createClient } from './create-client.ts';
export type { Client } from './client.ts';
export type { ClientOptions } from './client-options.ts';
export { ClientError, type ClientErrorCode } from './client-error.ts';
export type { Fetch } from './connection.ts';
export type { Drift, DriftIssue } from './drift.ts';
export type { CallOptions, FiltersOf, PageQuery } from './operation.ts';
export { PortariaError } from '../kernel/errors.ts';
