/** `strictValues`: a handler gets the listed values of enumerations only. */
import type { Contract } from '../../contract/contract.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { Handler } from './handler.ts';
import { GiveUp } from './outcome.ts';

/** Returns the handler as it runs: a strict one gives up on an event with a value that its types leave out. */
export function withStrictValues(handler: Handler, contract: Contract): Handler {
  if (handler.strictValues !== true) return handler;
  return {
    ...handler,
    handle(event, context) {
      const unlisted = contract.find(event.source, event.kind)?.unknownValues(event.data as JsonValue)[0];
      if (unlisted === undefined) return handler.handle(event, context);
      const { path, value, known } = unlisted;
      const found = value === null ? 'another value' : JSON.stringify(value);
      throw GiveUp(
        `${path} is ${found}, and strictValues takes ${known.join(', ')}: retry it when the contract or a defineKind lists the value`,
      );
    },
  };
}
