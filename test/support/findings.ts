import { type Finding, type ReportFinding, reportTo } from '../../lib/cli/doctor/finding.js';

/** The findings that a check of `doctor` reports. */
export async function findingsOf(check: (report: ReportFinding) => void | Promise<void>): Promise<Finding[]> {
  const findings: Finding[] = [];
  await check(reportTo(findings));
  return findings;
}
