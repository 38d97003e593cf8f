/** A schema of any library that follows Standard Schema, version 1 (https://standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a check; without issues the value is valid. */
interface StandardResult {
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of what a schema accepts: payloads stay as they were sent, so transformed output never appears. */
export type InputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** Whether a value is a schema of Standard Schema. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard?.validate === 'function';
}
