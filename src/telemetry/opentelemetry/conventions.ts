/**
 * Every name that OpenTelemetry gets, in one table: those of its conventions for messaging are still in development, and
 * may change. https://opentelemetry.io/docs/specs/semconv/messaging/
 */

/** The value of `messaging.system`, and the name of tracer and meter. */
export const SYSTEM = 'portaria';

/** The values of `messaging.operation.name` and of `messaging.operation.type`, and the first words of spans. */
export type Operation = 'receive' | 'process';

export const attributes = {
  system: 'messaging.system',
  operation: 'messaging.operation.name',
  operationType: 'messaging.operation.type',
  source: 'messaging.destination.name',
  handler: 'messaging.destination.subscription.name',
  event: 'messaging.message.id',
  bytes: 'messaging.message.body.size',
  error: 'error.type',
  kind: 'portaria.event.kind',
  delivery: 'portaria.delivery.id',
  attempt: 'portaria.delivery.attempt',
  replay: 'portaria.delivery.replay',
  result: 'portaria.result',
} as const;

export const metrics = {
  received: {
    name: 'messaging.client.operation.duration',
    description: 'Time from a webhook request to its response.',
  },
  consumed: {
    name: 'messaging.client.consumed.messages',
    description: 'Webhooks that were stored or were repeats.',
  },
  processed: { name: 'messaging.process.duration', description: 'Duration of an attempt.' },
} as const;

/** Upper bounds of durations in seconds, as the conventions advise. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The attributes that all spans and points of an operation have. */
export function attributesOf(operation: Operation): Readonly<Record<string, string>> {
  return {
    [attributes.system]: SYSTEM,
    [attributes.operation]: operation,
    [attributes.operationType]: operation,
  };
}
