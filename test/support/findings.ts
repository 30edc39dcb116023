import { type Finding, type Report, reportTo } from '../../lib/cli/doctor/finding.js';

/** The findings that a check of `doctor` reports. */
export async function findingsOf(check: (report: Report) => void | Promise<void>): Promise<Finding[]> {
  const findings: Finding[] = [];
  await check(reportTo(findings));
  return findings;
}
