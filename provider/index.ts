/** The provider's entry point: for the commands, for benchmarks, and for tests of the built files. */
export { openProvider } from './open-provider.ts';
export type { Provider } from './provider.ts';
export { startProvider } from './start-provider.ts';
export { createProviderApp } from './http/provider-app.ts';
export { createApiKey } from './organizations/api-key.ts';
export { listApiKeys, revokeApiKey, type KnownKey } from './organizations/manage-keys.ts';
export { findOrCreateOrganization, organizations } from './organizations/organization.ts';
export { seedOrganization, type SeedResult } from './seed/seed-organization.ts';
export { widgetsOf } from './widget/widgets.ts';
export { addCompany, changeCompany } from './companies/change-company.ts';
export { changeTrafficViolation } from './traffic-violations/change-traffic-violation.ts';
export { calm, parseChaosRates, type ChaosRates } from './webhooks/chaos/chaos-rates.ts';
export { resendDeadWebhooks } from './webhooks/outbox/dead-webhooks.ts';
export { isSigningSecret } from './webhooks/sending/standard-signing.ts';
export { startWebhookSender } from './webhooks/sending/webhook-sender.ts';
export { listEndpoints, removeEndpoint, type KnownEndpoint } from './webhooks/manage-endpoints.ts';
export { addWebhookEndpoint } from './webhooks/manage-endpoints.ts';
