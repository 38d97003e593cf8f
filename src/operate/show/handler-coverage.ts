/** Which handler takes which kinds. */
import { effectsName } from '../../handle/define/machine.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { type CoverageView, type HandlerView, coverageView, handlerView } from '../../view/handler-view.ts';

export interface HandlerCoverage {
  readonly handlers: readonly HandlerView[];
  /** Every kind of the contract; `handlers` is empty for kinds that no handler takes. */
  readonly coverage: readonly CoverageView[];
}

/** Lists handlers with the kinds they take, and all kinds with their handlers. */
export function handlerCoverage(
  registry: Pick<Registry, 'definitions' | 'coverage' | 'rate'>,
): HandlerCoverage {
  return {
    handlers: registry.definitions.map((each) =>
      handlerView(each, registry.rate(each.name) ?? registry.rate(effectsName(each.name))),
    ),
    coverage: registry.coverage().map(coverageView),
  };
}
