/** Says what is wrong with parameters, from the issues of their schemas. */
import type { z } from 'zod';

/** What is wrong with one parameter: where it is, and what to write. */
export interface ParameterIssue {
  readonly path: string;
  readonly message: string;
}

/** The issues of parameters that do not match their schema, one for each parameter. */
export function parameterIssues({ issues }: z.core.$ZodError): readonly ParameterIssue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    // zod reports all unknown members of an object as one issue.
    if (issue.code === 'unrecognized_keys') {
      const message = issue.message.startsWith('Unrecognized key') ? 'Unknown parameter' : issue.message;
      return issue.keys.map((key) => ({ path: [...path, key].join('.'), message }));
    }
    if (
      issue.code === 'invalid_value' &&
      issue.values.length > 1 &&
      issue.message.startsWith('Invalid option')
    )
      return [{ path: path.join('.'), message: `Write one of ${issue.values.map(String).join(', ')}` }];
    return [{ path: path.join('.'), message: issue.message }];
  });
}

/** The issues in one sentence, for a page or a terminal. */
export function issueText(error: z.core.$ZodError): string {
  return parameterIssues(error)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
}
