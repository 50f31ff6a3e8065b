import ts from 'typescript-api'

/** The parameter of the functions that evaluate constants. esbuild removes comments with white space, and keeps names. */
const MARK = '$pure'

/** The text of a file that esbuild has written, with the comment that bundlers read, and without the marks. */
export const annotated = (text: string): string => text.replaceAll(`(${MARK}=>`, '/* @__PURE__ */(()=>')

/**
 * Marks the constants of a module as free of effects, so that a bundler leaves out those that a program does not use.
 * `sideEffects` of package.json promises that for whole files only, and a file of the package has many modules.
 */
export function markPureConstants(text: string): string {
  const file = ts.createSourceFile('module.js', text, ts.ScriptTarget.ES2022, false, ts.ScriptKind.JS)
  const values = file.statements.flatMap((statement) =>
    ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Const) !== 0
      ? statement.declarationList.declarations.flatMap(({ name, initializer }) =>
          ts.isIdentifier(name) && initializer !== undefined && mayHaveEffects(initializer) ? [initializer] : [],
        )
      : [],
  )
  return values.reduceRight((changed, value) => {
    const [start, end] = [value.getStart(file), value.end]
    return `${changed.slice(0, start)}/* @__PURE__ */ (${MARK} => (${changed.slice(start, end)}))()${changed.slice(end)}`
  }, text)
}

/** The expressions that a bundler keeps for what a getter, an iterator or a function could do. */
function mayHaveEffects(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false
  return (
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isSpreadElement(node) ||
    ts.isSpreadAssignment(node) ||
    ts.isTemplateExpression(node) ||
    ts.isTaggedTemplateExpression(node) ||
    ts.isComputedPropertyName(node) ||
    ts.forEachChild(node, (child) => mayHaveEffects(child) || undefined) === true
  )
}
