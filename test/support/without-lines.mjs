/**
 * The text of lib/features.ts without some lines of `const features = […]` and their imports.
 *
 * @param {string} text
 * @param {readonly string[]} [taken] the constants in these lines
 * @returns {{ text: string, lines: readonly string[] }} with the constants of all lines that `text` has
 */
export function withoutLines(text, taken = []) {
  const [, list] = /^const features = \[\n(.*?)^\] as const;$/ms.exec(text);
  const lines = [...list.matchAll(/^ {2}(\w+),$/gm)].map(([, name]) => name);
  const isLeft = (name) => !taken.includes(name.trim());
  const left = text
    .replace(list, (all) =>
      all
        .split('\n')
        .filter((line) => isLeft(line.replace(',', '')))
        .join('\n'),
    )
    .replaceAll(/^import \{([^}]*)\} from .*;\n/gm, (statement, names) => {
      const others = names.split(',').filter(isLeft);
      return others.length === 0 ? '' : statement.replace(names, others.join(','));
    });
  return { text: left, lines };
}
