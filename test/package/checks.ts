/** Runs the checks of a program, several at once, and prints their number as its last line. */
export async function runChecks(
  checks: Readonly<Record<string, () => Promise<void>>>,
  atOnce = 1,
): Promise<void> {
  let [passed, failed] = [0, 0];
  const left = Object.entries(checks);
  const run = async (name: string, check: () => Promise<void>): Promise<void> => {
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
  };
  const runSequentially = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(...next);
  };
  await Promise.all(Array.from({ length: atOnce }, runSequentially));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
