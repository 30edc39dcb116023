export interface Difference {
  readonly reason: string;
  readonly option?: string;
}
