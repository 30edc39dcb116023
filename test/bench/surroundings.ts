import type { Report } from './report/report.js';

/** Where a run takes place. */
export interface Surroundings {
  readonly databaseUri: string;
  /** The kind of database. */
  readonly database: string;
  readonly machine: Report['machine'];
  readonly say: (line: string) => void;
}
