import { z } from 'zod';
import type { Registry } from '../handle/load/registry.ts';

export const coverageSchema = z
  .object({
    kind: z.string().describe('A kind of the contract.'),
    covered: z.boolean().describe('Whether any handler or machine gets it.'),
    handlers: z.array(z.string()).describe('The handlers and machines that get it.'),
  })
  .meta({ id: 'Coverage', description: 'Who gets the events of a kind.' });

export type CoverageView = z.infer<typeof coverageSchema>;

export function coverageView(row: ReturnType<Registry['coverage']>[number]): CoverageView {
  return { kind: row.kind, covered: row.handlers.length > 0, handlers: [...row.handlers] };
}
