/** Senders whose proof is known: each is an entry of one table. */
import type { PresetName, ProofDescription } from '../contract/source-verification.ts';

/** A known sender. */
export interface Preset extends ProofDescription {
  readonly scheme: 'signed' | 'token';
  readonly header: string;
  /** Why its signature does not cover the body, as the end of a sentence. */
  readonly bodyNotSigned?: string;
}

const hmac = { scheme: 'signed', algorithm: 'sha256' } as const;

export const presets: Readonly<Record<PresetName, Preset>> = {
  /** https://docs.stripe.com/webhooks#verify-manually */
  stripe: {
    ...hmac,
    header: 'stripe-signature',
    reads: 't={timestamp},v1={signature}',
    signs: '{timestamp}.{body}',
  },
  /** https://docs.slack.dev/authentication/verifying-requests-from-slack */
  slack: {
    ...hmac,
    header: 'x-slack-signature',
    reads: 'v0={signature}',
    signs: 'v0:{timestamp}:{body}',
    timestamp: { header: 'x-slack-request-timestamp' },
  },
  /** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
  github: { ...hmac, header: 'x-hub-signature-256', reads: 'sha256={signature}', signs: '{body}' },
  /** https://shopify.dev/docs/apps/build/webhooks/subscribe/https */
  shopify: { ...hmac, header: 'x-shopify-hmac-sha256', encoding: 'base64', signs: '{body}' },
  /** https://docs.svix.com/receiving/verifying-payloads/how-manual */
  svix: {
    ...hmac,
    header: 'svix-signature',
    reads: 'v1,{signature}',
    signs: '{id}.{timestamp}.{body}',
    encoding: 'base64',
    key: 'base64',
    timestamp: { header: 'svix-timestamp' },
    id: { header: 'svix-id' },
  },
  /** https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events */
  zoom: {
    ...hmac,
    header: 'x-zm-signature',
    reads: 'v0={signature}',
    signs: 'v0:{timestamp}:{body}',
    timestamp: { header: 'x-zm-request-timestamp' },
  },
  /** https://www.mercadopago.com.br/developers/en/docs/your-integrations/notifications/webhooks */
  'mercado-pago': {
    ...hmac,
    header: 'x-signature',
    reads: 'ts={timestamp},v1={signature}',
    signs: 'id:{query:data.id|lower};[request-id:{header:x-request-id};]ts:{timestamp};',
    bodyNotSigned: 'Mercado Pago signs the id of the resource and the time alone',
  },
  /** https://docs.asaas.com/docs/about-webhooks */
  asaas: { scheme: 'token', header: 'asaas-access-token' },
};
