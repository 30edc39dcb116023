import type { Report } from './report/report.js';

/** Where a run takes place. */
export interface Surroundings {
  readonly databaseUri: string;
  /** What kind it is. */
  readonly database: string;
  readonly machine: Report['machine'];
  readonly say: (line: string) => void;
}
