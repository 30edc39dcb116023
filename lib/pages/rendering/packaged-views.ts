import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../views');

/**
 * Our own views by their names, such as `partials/top.ejs`. The build (build.js) replaces this file with their texts,
 * so that they stay with the code in a site's bundle; run from its sources, the package reads its folder.
 */
export const PACKAGED_VIEWS: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.\w+$/.test(file))
    .map((file) => [file.split(sep).join('/'), readFileSync(join(FOLDER, file), 'utf8')]),
);
