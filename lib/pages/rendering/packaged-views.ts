import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../views');

/**
 * The package's views by name, such as `partials/top.ejs`. The build (build.js) replaces this file with their texts,
 * which a site's bundle then includes; run from its sources, the package reads its folder.
 */
export const PACKAGED_VIEWS: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.\w+$/.test(file))
    .map((file) => [file.split(sep).join('/'), readFileSync(join(FOLDER, file), 'utf8')]),
);
