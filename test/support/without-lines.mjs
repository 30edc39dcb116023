import swc from '@swc/jest';

/**
 * The text of lib/features.ts without some lines of `const features = […]` and their imports.
 *
 * @param {string} text
 * @param {readonly string[]} [taken] the constants in these lines. Default: those of all lines
 * @returns {{ text: string, lines: readonly string[] }} with the constants of all lines that `text` has
 */
export function withoutLines(text, taken) {
  const [, list] = /^const features = \[\n(.*?)^\] as const;$/ms.exec(text);
  const lines = [...list.matchAll(/^ {2}(\w+),$/gm)].map(([, name]) => name);
  const isLeft = (name) => !(taken ?? lines).includes(name.trim());
  const rest = list.split('\n').filter((line) => isLeft(line.replace(',', '')));
  const left = text
    .replace(list, rest.join('\n'))
    .replaceAll(/^import \{([^}]*)\} from .*;\n/gm, (statement, names) => {
      const others = names.split(',').filter(isLeft);
      return others.length === 0 ? '' : statement.replace(names, others.join(','));
    });
  return { text: left, lines };
}

/** For Jest: transforms a features.ts that has none of these lines. */
function createTransformer(options) {
  const transformer = swc.createTransformer(options);
  const before =
    (method) =>
    (text, ...rest) =>
      transformer[method](withoutLines(text).text, ...rest);
  return Object.fromEntries(['process', 'processAsync', 'getCacheKey'].map((name) => [name, before(name)]));
}

export default { createTransformer };
