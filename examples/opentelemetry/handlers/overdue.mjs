/** A handler with a span of its own, as an instrumented database or HTTP client makes one. */
import { trace } from '@opentelemetry/api';
import { defineHandler } from 'portaria';

export default defineHandler({
  name: 'overdue',
  on: ['charge.created', 'charge.updated'],
  async handle({ data }) {
    if (data.status !== 'overdue') return;
    await trace.getTracer('finance').startActiveSpan('remind the customer', async (span) => {
      await Promise.resolve();
      span.end();
    });
  },
});
