import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-api'

/** The folders of the source, and the least part of their changes that tests should catch. */
export const AREAS: readonly { readonly source: string; readonly least: number }[] = [
  ...['responses', 'engine', 'wires', 'framing', 'models', 'validation'].map((name) => ({
    source: `src/${name}/`,
    least: 0.85,
  })),
  ...['gateway', 'host', 'fetch', 'observability', 'search'].map((name) => ({ source: `src/${name}/`, least: 0.75 })),
]

/** One operator or constant of the source and what replaces it. */
export interface Change {
  readonly file: string
  readonly line: number
  /** The token. */
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
  /** The expression of the token, which a condition can stand around. */
  readonly around: { readonly start: number; readonly end: number; readonly form: 'value' | 'statement' | 'name' }
  /** The area, the lines around the change and its place in its line: what two commits have in common. */
  readonly content: string
  readonly area: string
}

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '+=': '-=',
  '*': '+',
}

/** Returns what replaces a token, or undefined where a change of it is none of an operator or a constant. */
function replacementOf(node: ts.Node, text: string): string | undefined {
  const { parent } = node
  if (ts.isTypeNode(parent) || ts.isTypeElement(parent)) return
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || isImport(parent)) return
  if (ts.isBinaryExpression(parent) && parent.operatorToken === node) return OPERATORS[text]
  if (ts.isNumericLiteral(node)) return `${Number(text.replaceAll('_', '')) + 1}`
  if (node.kind === ts.SyntaxKind.TrueKeyword) return 'false'
  if (node.kind === ts.SyntaxKind.FalseKeyword) return 'true'
  if (ts.isStringLiteral(node) && node.text !== '' && !isForPeople(node)) return JSON.stringify(`${node.text}x`)
  return
}

const isImport = (node: ts.Node): boolean =>
  ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword

/** Members whose texts only people read. */
const FOR_PEOPLE = /^(?:about|description|source|summary|title|why)$/

/** A sentence of an error, a description or a log, or a reference. Words of a protocol have no spaces. */
const isForPeople = ({ text, parent }: ts.StringLiteral): boolean =>
  /\w \w/.test(text) ||
  /#\d|^https?:/.test(text) ||
  (ts.isPropertyAssignment(parent) && ts.isIdentifier(parent.name) && FOR_PEOPLE.test(parent.name.text))

function expressionAround(node: ts.Node, source: ts.SourceFile): Change['around'] {
  const { parent } = node
  const isOperator = ts.isBinaryExpression(parent) && parent.operatorToken === node
  const expression = isOperator ? parent : node
  const start = expression.getStart(source)
  const isName = 'name' in parent && parent.name === node
  const statement = ts.findAncestor(expression, ts.isExpressionStatement)
  const form = isName ? 'name' : statement?.getStart(source) === start ? 'statement' : 'value'
  return { start, end: expression.end, form }
}

function changesOf(root: string, area: string, file: string): Change[] {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const lines = text.split('\n').map((line) => line.trim())
  const indents = text.split('\n').map((line) => line.search(/\S/))
  const found: Change[] = []
  const visit = (node: ts.Node): void => {
    if (node.getChildCount(source) === 0) {
      const before = node.getText(source)
      const after = replacementOf(node, before)
      const start = node.getStart(source)
      const { line, character } = source.getLineAndCharacterOfPosition(start)
      const content = [area, ...lines.slice(Math.max(0, line - 1), line + 2), character - (indents[line] ?? 0)].join(
        '\n',
      )
      if (after !== undefined) {
        const around = expressionAround(node, source)
        found.push({ file, line: line + 1, start, end: node.end, before, after, around, content, area })
      }
    }
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  return found
}

/** The changes of an area by their content, without those whose content occurs more than once. */
function readArea(root: string, source: string): ReadonlyMap<string, Change> {
  const files = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.includes('descriptions'),
  )
  const all = files.flatMap((name) => changesOf(root, source, source + name))
  const counts = new Map<string, number>()
  for (const { content } of all) counts.set(content, (counts.get(content) ?? 0) + 1)
  return new Map(all.filter(({ content }) => counts.get(content) === 1).map((one) => [one.content, one]))
}

/** A change under its file, its line and its replacement. */
export const keyOf = ({ file, content, before, after }: Change): string =>
  [file, content.split('\n').at(2) ?? '', `${before} → ${after}`].join(' | ')

/** Returns the changes of a tree that have one of the keys, whether or not their lines have moved. */
export const changesWithKeys = (root: string, keys: ReadonlySet<string>, area: string | undefined): Change[] =>
  areasOf(area).flatMap(({ source }) => [...readArea(root, source).values()].filter((one) => keys.has(keyOf(one))))

const areasOf = (only: string | undefined): typeof AREAS =>
  AREAS.filter(({ source }) => only === undefined || source === only)

/**
 * Returns a sample of the changes of one area, or of all, that both trees have. A seed chooses the same changes in every
 * tree, except for lines that only one of them has.
 */
export function chooseChanges(
  root: string,
  other: string,
  { count, seed, area: only }: { readonly count: number; readonly seed: number; readonly area: string | undefined },
): Change[] {
  const areas = areasOf(only)
  const rankOf = ({ content }: Change): string => createHash('sha256').update(`${seed}\n${content}`).digest('hex')
  return areas.flatMap(({ source }, at) => {
    const others = readArea(other, source)
    const share = Math.floor(count / areas.length) + (at < count % areas.length ? 1 : 0)
    return [...readArea(root, source).values()]
      .filter(({ content }) => others.has(content))
      .map((change) => ({ change, rank: rankOf(change) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, share)
      .map(({ change }) => change)
  })
}
