import { z } from 'zod';
import { deliveryStatusSchema } from './delivery-view.ts';

export const retrySchema = z
  .object({
    retried: z.array(z.string()).describe('Dead deliveries that are pending again.'),
    left_alone: z
      .array(
        z.object({
          id: z.string().describe('The delivery.'),
          status: deliveryStatusSchema
            .nullable()
            .describe('Its status; null when there is no such delivery.'),
        }),
      )
      .describe('Deliveries that were not dead.'),
  })
  .meta({ id: 'Retry', description: 'Which deliveries get fresh tries.' });

export type RetryView = z.infer<typeof retrySchema>;
