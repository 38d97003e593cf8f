import type { Registry } from '../handle/load/registry.ts';
import { type CoverageView, type HandlerView, coverageView, handlerView } from '../view/handler-view.ts';

export interface HandlerCoverage {
  readonly handlers: readonly HandlerView[];
  /** Every kind of the contract, in its order; those that nobody gets have no handlers. */
  readonly coverage: readonly CoverageView[];
}

/** Who gets which kinds, and which kinds nobody gets. */
export function handlerCoverage(registry: Pick<Registry, 'definitions' | 'coverage'>): HandlerCoverage {
  return {
    handlers: registry.definitions.map(handlerView),
    coverage: registry.coverage().map(coverageView),
  };
}
