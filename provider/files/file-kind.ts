/** The files that the provider hands out, as their addresses name them. */
export const fileKinds = [
  'violation-notice',
  'penalty-notice',
  'ticket',
  'signing-document',
  'signed-document',
] as const;

export type FileKind = (typeof fileKinds)[number];
