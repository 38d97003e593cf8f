/** The forms of the console: their operations and permissions. */
import type { Handler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Permission } from '../access/roles.ts';
import type { ConsoleApp, ConsoleContext, ConsoleEnv } from './console-deps.ts';

/** What a form does, and what its visitor must be allowed. */
export interface Form {
  /** The operation, named as the operators' API names it. */
  readonly action: string;
  /** A form that needs only `view` changes nothing of Portaria. */
  readonly needs: readonly Permission[];
}

const forms = new WeakMap<object, Form>();

/**
 * Adds a form. `startOperations` checks the permission and starts the entry of the audit before `handle` runs. A route
 * for POST that is added in another way is never reached.
 */
export function addForm<Path extends string>(
  app: ConsoleApp,
  path: Path,
  { action, needs = ['operate'] }: { readonly action: string; readonly needs?: readonly Permission[] },
  handle: Handler<ConsoleEnv, Path>,
): void {
  forms.set(handle, { action, needs });
  app.post(path, handle);
}

/** The form that a request sends, also before its handler runs; undefined when there is none. */
export function formOf(c: ConsoleContext): Form | undefined {
  for (const { handler } of matchedRoutes(c)) {
    const form = forms.get(handler);
    if (form !== undefined) return form;
  }
  return undefined;
}
