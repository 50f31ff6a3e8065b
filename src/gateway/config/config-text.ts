import { evaluate, type MemberNode, parse, type ValueNode } from '@humanwhocodes/momoa'
import type { ConfigPath } from './checks.ts'
import { formatConfigPath } from './config-problems.ts'
import { type Env, readVariable } from './secrets.ts'

/** Line and column of a character, counted from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

export interface PlacedProblem {
  readonly path: ConfigPath
  readonly message: string
  readonly place: Place
}

type ParsedText = { readonly ok: true; readonly body: ValueNode } | { readonly ok: false; readonly problem: string }

export const formatPlace = ({ line, column }: Place): string => `(line ${line}, column ${column})`

/** Parses JSON with comments and trailing commas. The problem never quotes the text, which may contain a secret. */
export function parseConfigText(text: string): ParsedText {
  const source = text.replace(/^\ufeff/, '')
  try {
    return { ok: true, body: parse(source, { mode: 'jsonc', allowTrailingCommas: true }).body }
  } catch (error) {
    const place = placeOfError(error, source)
    return { ok: false, problem: `the file is not JSON${place === null ? '' : ` ${formatPlace(place)}`}` }
  }
}

/** The parser places a missing end at the beginning of the text in some cases. Null: the text is nested too deeply. */
function placeOfError(error: unknown, source: string): Place | null {
  if (!isPlaced(error)) return null
  if (!error.message.startsWith('Unexpected end of input')) return error
  const lines = source.split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

const isPlaced = (error: unknown): error is Error & Place =>
  error instanceof Error && 'line' in error && 'column' in error

const nameOf = ({ name }: MemberNode): string => (name.type === 'String' ? name.value : name.name)

/** The values directly below a value, with the steps to them. */
const partsOf = (node: ValueNode): readonly { step: string | number; value: ValueNode; place: Place }[] => {
  if (node.type === 'Array') return node.elements.map(({ value }, step) => ({ step, value, place: value.loc.start }))
  if (node.type !== 'Object') return []
  return node.members.map((member) => ({ step: nameOf(member), value: member.value, place: member.name.loc.start }))
}

/** Every name that its object contains a second time: the value would replace the first one silently. */
export function* repeatedNames(node: ValueNode, path: ConfigPath = []): Iterable<PlacedProblem> {
  const known = new Set<string | number>()
  for (const { step, value, place } of partsOf(node)) {
    const own = [...path, step]
    if (known.has(step)) yield { path: own, message: 'expected once, got a second one', place }
    known.add(step)
    yield* repeatedNames(value, own)
  }
}

/** The place of the value at this path, or of the part of the path that exists. */
export function placeOf(node: ValueNode, path: readonly PropertyKey[]): Place {
  const [step, ...rest] = path
  const part = partsOf(node).find((one) => one.step === step)
  if (part === undefined) return node.loc.start
  return rest.length === 0 ? part.place : placeOf(part.value, rest)
}

/** The value of a text, with the variables of the environment. */
export interface FilledText {
  readonly value: unknown
  /** The formatted paths of strings that are one reference and nothing else, with their values. */
  readonly references: ReadonlyMap<string, string>
  readonly problems: readonly PlacedProblem[]
}

/**
 * A reference, an escaped `${`, or a `${` that begins no reference. A default has no braces, so that the pattern takes
 * linear time.
 */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)(?::-([^{}]*))?\})?/g

/** A string with the values of its variables. */
interface Filled {
  readonly text: string
  /** Whether the string was one reference and nothing else. */
  readonly isReference: boolean
  readonly faults: readonly string[]
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` by the variable, without white space at both ends; an empty variable is one
 * that is not set. `$${` becomes `${`. A value is not searched for further references.
 */
function fillVariables(text: string, env: Env): Filled {
  const faults: string[] = []
  let isReference = false
  const filled = text.replace(REFERENCE, (found, name: string | undefined, otherwise: string | undefined) => {
    if (found === '$${') return '${'
    if (name === undefined) {
      faults.push(`expected \${NAME} or \${NAME:-default}. Write $\${ for the characters \${`)
      return found
    }
    isReference = found === text
    const value = readVariable(env, name)
    if (value === '' && otherwise === undefined)
      faults.push(`the environment variable ${name} is not set. Set it, or write \${${name}:-default}`)
    return value === '' ? (otherwise ?? '') : value
  })
  return { text: filled, isReference, faults }
}

/** `typed`: the formatted paths of references whose values are numbers or booleans. */
export function fillText(body: ValueNode, env: Env, typed: ReadonlySet<string> = new Set()): FilledText {
  const references = new Map<string, string>()
  const problems: PlacedProblem[] = []
  const read = (written: string, path: ConfigPath, place: Place): unknown => {
    const { text, isReference, faults } = fillVariables(written, env)
    problems.push(...faults.map((message) => ({ path, message, place })))
    if (!isReference) return text
    const formatted = formatConfigPath(path)
    references.set(formatted, text)
    return typed.has(formatted) ? JSON.parse(text) : text
  }
  const readNode = (node: ValueNode, path: ConfigPath): unknown => {
    if (node.type === 'String') return read(node.value, path, node.loc.start)
    const parts = partsOf(node).map(({ step, value }) => [step, readNode(value, [...path, step])] as const)
    if (node.type === 'Array') return parts.map(([, value]) => value)
    return node.type === 'Object' ? Object.fromEntries(parts) : evaluate(node)
  }
  return { value: readNode(body, []), references, problems }
}

/** Every value below, with its formatted path and its place. */
function* placesBelow(node: ValueNode, path: ConfigPath): Iterable<readonly [path: string, Place]> {
  for (const { step, value, place } of partsOf(node)) {
    const own = [...path, step]
    yield [formatConfigPath(own), place]
    yield* placesBelow(value, own)
  }
}

/** Adds line and column of the text to each problem that begins with the path of a value, or of an option in it. */
export function withPlaces(text: string, problems: readonly string[]): readonly string[] {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return problems
  const places = new Map(placesBelow(parsed.body, []))
  return problems.map((problem) => {
    const end = problem.indexOf(': ')
    const path = problem.slice(0, end)
    const place = places.get(path) ?? places.get(path.replace(/\.\w+$/, ''))
    return place === undefined ? problem : `${path} ${formatPlace(place)}${problem.slice(end)}`
  })
}

/** `position`: ` (line 2, column 24)`, or an empty text for a text that is nested too deeply. */
type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly position: string }

/** Parses a file that a person has written: a byte order mark is allowed, and a mistake has a position. */
export function parseJsonText(text: string): ParsedJson {
  const source = text.replace(/^\ufeff/, '')
  try {
    return { ok: true, value: JSON.parse(source) }
  } catch (error) {
    const place = placeOfFault(source, String(error))
    return { ok: false, position: place === null ? '' : ` ${formatPlace(place)}` }
  }
}

/** V8 reports an offset for some faults only. The rest of its message may quote the text, which may contain secrets. */
function placeOfFault(source: string, message: string): Place | null {
  const offset = /position (\d+)/.exec(message)?.[1]
  if (offset !== undefined) return placeAt(source, Number(offset))
  if (/end of JSON|EOF/i.test(message)) return placeAt(source, source.length)
  try {
    parse(source, { mode: 'json' })
    return null
  } catch (error) {
    return placeOfError(error, source)
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
