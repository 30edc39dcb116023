const { mkdirSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { findSourceMap } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

/** The folder of the run's coverage (test/coverage.ts); undefined without coverage. */
const folder = process.env.TEST_COVERAGE;
const LIB = new URL('.', pathToFileURL(require.resolve('../../../lib/index.ts'))).href;

/** V8's counts of this process; begun before anything of lib/ is loaded, or its blocks are not counted. */
const session = folder && new Session();
if (session) {
  mkdirSync(folder, { recursive: true });
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}
const mapped = new Set();
let written = 0;

/**
 * Writes the coverage of lib/ since the last call, in the format of NODE_V8_COVERAGE, which c8 reads. Node itself would
 * write it when the process ends; but workers that have grown are killed, and their coverage would be lost.
 */
exports.writeCoverage = () => {
  if (!session) return;
  // answered before `post` returns
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error) throw error;
    const result = taken.result.filter(({ url }) => url.startsWith(LIB));
    const maps = {};
    for (const { url } of result) {
      if (mapped.has(url)) continue;
      mapped.add(url);
      const map = findSourceMap(url);
      if (map === undefined) continue;
      // tsx leaves the source out: c8 reads the file
      const data = { ...map.payload, sourcesContent: undefined };
      maps[url] = { url: null, data, lineLengths: map.lineLengths };
    }
    const file = join(folder, `coverage-${process.pid}-${written++}.json`);
    writeFileSync(file, JSON.stringify({ result, 'source-map-cache': maps }));
  });
};
