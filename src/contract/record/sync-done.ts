import { z } from 'zod';

/** How a first import ended (specification, Synchronization stream, done). */
export const importOutcome = z.enum(['success', 'partial_success', 'failure']);
