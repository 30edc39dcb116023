import { writeFileSync } from 'node:fs';

/** Says what was seen, also if jest gives up at the first failure: its own report is not written then. */
export default class Reporter {
  onRunComplete(_contexts, results) {
    const tests = results.testResults.flatMap(({ testResults }) => testResults);
    const report = {
      failed: tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      passed: results.numPassedTests,
      // suites that cannot be loaded
      problem: results.testResults.find(({ testExecError }) => testExecError)?.failureMessage,
    };
    writeFileSync(process.env.MUTANT_REPORT, JSON.stringify(report));
  }
}
