/** Whether personal data is shown as it is. Views mask it unless asked to. */
export interface Unmasking {
  readonly unmask: boolean;
}
