/** Runs the checks of a program one after the other, and ends it with their number as the last line. */
export async function runChecks(checks: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
  let [passed, failed] = [0, 0];
  for (const [name, check] of Object.entries(checks)) {
    const begin = Date.now();
    const took = () => `(${((Date.now() - begin) / 1000).toFixed(1)} s)`;
    try {
      await check();
      passed += 1;
      console.log(`  ok      ${name} ${took()}`);
    } catch (error) {
      failed += 1;
      console.log(`  FAILED  ${name} ${took()}`, error);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
