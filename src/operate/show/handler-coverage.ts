/** Which handler takes which kinds. */
import type { Registry } from '../../handle/load/registry.ts';
import { type CoverageView, type HandlerView, coverageView, handlerView } from '../../view/handler-view.ts';

export interface HandlerCoverage {
  readonly handlers: readonly HandlerView[];
  /** Every kind of the contract; `handlers` is empty for kinds that no handler takes. */
  readonly coverage: readonly CoverageView[];
}

/** Lists handlers with the kinds they take, and all kinds with their handlers. */
export function handlerCoverage(registry: Pick<Registry, 'definitions' | 'coverage'>): HandlerCoverage {
  return {
    handlers: registry.definitions.map(handlerView),
    coverage: registry.coverage().map(coverageView),
  };
}
