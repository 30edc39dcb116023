import { type Finding, type ReportFinding, reportTo } from '../../lib/cli/doctor/finding.js';

export async function findingsOf(check: (report: ReportFinding) => void | Promise<void>): Promise<Finding[]> {
  const findings: Finding[] = [];
  await check(reportTo(findings));
  return findings;
}
