import type { Report } from './report/report.js';

export interface Surroundings {
  readonly databaseUri: string;
  readonly database: string;
  readonly machine: Report['machine'];
  readonly say: (line: string) => void;
}
