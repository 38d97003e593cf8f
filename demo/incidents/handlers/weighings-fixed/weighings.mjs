/** Weighings of trucks, which the weighbridge sends: a kind of its own. */
import { defineHandler, defineKind, z } from 'portaria';

export const weighed = defineKind('truck.weighed', {
  schema: z.object({
    id: z.int(),
    plate: z.string(),
    // Since its new version the weighbridge sends text.
    kilograms: z.union([z.number(), z.string().regex(/^\d+$/u)]),
    weighed_at: z.iso.datetime({ offset: true }),
  }),
  subject: { family: 'weighing', id: (data) => data.id },
  version: (data) => data.weighed_at,
  personal: ['plate'],
});

export default defineHandler({
  name: 'truck-loads',
  on: [weighed],
  handle({ data }, { log }) {
    log.info({ weighing: data.id, tonnes: Number(data.kilograms) / 1000 }, 'noted the load');
  },
});
