/** The kinds of files, as their URLs name them. */
export const fileKinds = [
  'violation-notice',
  'penalty-notice',
  'ticket',
  'signing-document',
  'signed-document',
] as const;

export type FileKind = (typeof fileKinds)[number];
