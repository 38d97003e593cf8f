/** Whether personal data is shown in plain text. Views mask it by default. */
export interface Unmasking {
  readonly unmask: boolean;
}
