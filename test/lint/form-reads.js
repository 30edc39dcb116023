/**
 * Forms and queries are read by lib/shared/protocol/parameters.ts and lib/core/http/form-fields.ts: a parser of the
 * host may have unfolded a field into an object or a list, and code that reads it directly takes it for text.
 */

const READERS = /\/lib\/(?:shared\/protocol\/parameters|core\/http\/(?:form-fields|body|query))\.ts$/;
const HOW = 'parseParameter, peekParameter or textField';

/** The expression inside of `(x as T)`, `x!`, `x ?? {}` and `x?.`. */
function unwrap(node) {
  if (node === null || node === undefined) return undefined;
  if (['TSAsExpression', 'TSNonNullExpression', 'ChainExpression', 'TSTypeAssertion'].includes(node.type))
    return unwrap(node.expression);
  return node.type === 'LogicalExpression' ? unwrap(node.left) : node;
}

function nameOf({ property, computed }) {
  if (!computed) return property.name;
  return property.type === 'Literal' ? property.value : undefined;
}

/** A body or a query of a request; `{ body }: Request` is one, too. */
function isOfRequest(node) {
  if (node.type !== 'MemberExpression' || !['body', 'query'].includes(nameOf(node))) return false;
  const holder = unwrap(node.object);
  return holder.type === 'Identifier' && /^(?:req|request)$/i.test(holder.name);
}

const isFormType = (annotation) => annotation?.typeAnnotation?.typeName?.name === 'Form';

/** A parameter of that name whose type does not name something else, such as HTML. */
const isUnknown = (annotation, { type }) =>
  type !== 'VariableDeclarator' &&
  (annotation === undefined || annotation?.typeAnnotation?.type === 'TSUnknownKeyword');

function isParsed(node) {
  return node.type === 'CallExpression' && ['queryOf', 'parseForm'].includes(node.callee.name);
}

export const noHandReadForms = {
  meta: { type: 'problem' },
  create(context) {
    if (READERS.test(context.filename.replaceAll('\\', '/'))) return {};
    const refuse = (node) => context.report({ node, message: `A form is read by ${HOW}, and not by hand.` });

    const isFormVariable = (identifier) => {
      for (let scope = context.sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
        const variable = scope.set.get(identifier.name);
        if (variable === undefined) continue;
        return variable.defs.some(
          ({ name, node }) =>
            isFormType(name.typeAnnotation) ||
            (name.name === 'form' && isUnknown(name.typeAnnotation, node)) ||
            (node.type === 'VariableDeclarator' && node.id === name && isForm(unwrap(node.init))),
        );
      }
      return identifier.name === 'form';
    };
    const isForm = (node) =>
      node !== undefined &&
      (isOfRequest(node) || isParsed(node) || (node.type === 'Identifier' && isFormVariable(node)));
    const isWritten = ({ parent }, node) => parent.type === 'AssignmentExpression' && parent.left === node;

    return {
      MemberExpression(node) {
        if (nameOf(node) === 'query' && isOfRequest(node)) return refuse(node);
        if (isForm(unwrap(node.object)) && !isWritten(node, node)) refuse(node);
      },
      VariableDeclarator({ id, init }) {
        if (id.type === 'ObjectPattern' && isForm(unwrap(init))) refuse(id);
      },
      AssignmentExpression({ left, right }) {
        if (left.type === 'ObjectPattern' && isForm(unwrap(right))) refuse(left);
      },
      ObjectPattern(node) {
        if (isFormType(node.typeAnnotation)) refuse(node);
      },
    };
  },
};
