/**
 * Words that no code base of the field uses in its names, and their replacements: readers of this code have read others
 * before.
 */
export const DIALECT = {
  asked: '`requested…`; `context` for the request and its time',
  facts: '`data`',
  held: '`granted…`, or what holds it',
  kept: '`stored…`, `saved…` or `remaining…`',
  mistake: '`problem`, or an `…Error`',
  most: '`max…`, `MAX_…`',
  noted: '`recorded…`',
  ours: '`local…`, `site…` or `stored…`',
  picked: '`selected…`',
  remembered: '`cached…` or `consented…`',
  settled: '`completed…`',
  shown: '`displayed…`, or a `…View`',
  tell: '`notify…` or `report…`',
  told: '`notified…` or `reported…`',
  turn: '`context`; `queue` or `slot` for what waits',
  usual: '`default…`, `DEFAULT_…`',
  wanted: '`desired…`, or what it is',
  words: '`translator` for the texts of a page, `terms` for words of a text',
};

/**
 * Members of stored documents, of sessions and of forms, under their stored names. Only a migration changes them after
 * 1.0.
 */
export const STORED = ['asked', 'isAskedEachTime', 'kept', 'keptUntil', 'picked', 'shown', 'shown_scope'];

/** `isAskedFor` and `IS_ASKED_FOR` are each three words. */
function wordsOf(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function problemOf(name) {
  const word = wordsOf(name).find((each) => Object.hasOwn(DIALECT, each));
  return word === undefined
    ? undefined
    : `'${name}' has a word of no other code base, '${word}': write ${DIALECT[word]} (test/lint/dialect.js).`;
}

/** The name of a member; undefined if it is computed, or a text: the key of a message, or a name on the wire. */
function memberOf({ key, computed }) {
  return computed || !['Identifier', 'PrivateIdentifier'].includes(key?.type) ? undefined : key.name;
}

/** No declaration uses a word of the list. An export of a package keeps its name. */
export const dialect = {
  meta: { type: 'suggestion' },
  create({ sourceCode, report }) {
    // the name of a class is also in its own scope
    const seen = new Set();
    const check = (node, name) => {
      if (seen.has(node)) return;
      seen.add(node);
      const message = problemOf(name);
      if (message !== undefined) report({ node, message });
    };
    const checkMember = (node) => {
      const name = memberOf(node);
      if (name !== undefined && !STORED.includes(name)) check(node.key, name);
    };
    return {
      'Program:exit'() {
        for (const { variables } of sourceCode.scopeManager.scopes)
          for (const { name, defs } of variables)
            for (const { node, name: declared } of defs) {
              const isImported = node.type === 'ImportSpecifier' && node.imported.name === name;
              if (!isImported) check(declared, name);
            }
      },
      ':matches(TSPropertySignature, TSMethodSignature, PropertyDefinition, MethodDefinition)': checkMember,
      // a shorthand is a variable, too, which is reported at its declaration
      'ObjectExpression > Property[shorthand=false]': checkMember,
    };
  },
};
