/** Records what is sent to PostgreSQL. */
import pg from 'pg';
import { onTestFinished, vi } from 'vitest';

/** Returns a function that returns the texts of the statements since its last call, and ends with the test. */
export function watchStatements(): () => readonly string[] {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  return () => {
    const texts = query.mock.calls.map(([statement]) => textOf(statement));
    query.mockClear();
    return texts;
  };
}

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  return (statement as { readonly text?: string }).text ?? '';
}
