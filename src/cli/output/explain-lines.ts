import type { Change, ExplainedBreakpoint, Explanation } from '../../engine/explain/explanation.ts'
import type { VendorAccount } from '../../gateway/vendors/accounts.ts'
import type { Json } from '../../protocol/json.ts'
import { formatLoss, type Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import { pathIn } from '../../validation/messages.ts'
import { cutPiece } from './cut-text.ts'
import { type LineStyle, paint, plain } from './line-style.ts'

const RED = 31
const GREEN = 32
const YELLOW = 33
const CYAN = 36
const DIM = 2
const BOLD = 1

/** The sign at the beginning of a line, and its colour. */
const SIGNS = {
  added: ['+', GREEN],
  removed: ['-', RED],
  changed: ['~', YELLOW],
  moved: ['>', CYAN],
} as const satisfies Record<Change['kind'], readonly [sign: string, colour: number]>

/** The fewest columns that a value keeps, however long its line becomes. */
const SHORTEST = 16

const cutTo = (text: string, width: number): string => cutPiece({ text, bare: true }, Math.max(SHORTEST, width))

// ---------------------------------------------------------------- the body

interface BodyLines {
  /** By the paths of the upstream's body. */
  readonly changes: ReadonlyMap<string, readonly Change[]>
  /** The paths of values that contain a change. */
  readonly around: ReadonlySet<string>
  readonly style: LineStyle
  readonly lines: string[]
}

/** The paths of the objects and lists around a path. */
function* pathsAround(path: string): Iterable<string> {
  yield ''
  for (const { index } of path.matchAll(/[.[]/g)) yield path.slice(0, index)
}

/** The upstream's body, one line for each value that is or contains a change, and one for each other value. */
function bodyLines({ upstream, changes }: Explanation, style: LineStyle): readonly string[] {
  const sent = changes.flatMap((change) =>
    change.upstreamPath === null ? [] : [[change.upstreamPath, change] as const],
  )
  const lines: string[] = []
  const around = new Set(sent.flatMap(([path]) => [...pathsAround(path)]))
  const byPath = new Map<string, Change[]>()
  for (const [path, change] of sent) byPath.set(path, [...(byPath.get(path) ?? []), change])
  writeValue('', upstream, '', 0, { changes: byPath, around, style, lines })
  return lines
}

function writeValue(name: string, value: Json, path: string, depth: number, body: BodyLines): void {
  const { changes, around, style, lines } = body
  const found = changes.get(path) ?? []
  const indent = '  '.repeat(depth) + name
  if (found.length > 0 || !around.has(path)) return void lines.push(valueLine(indent, value, found, style))
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  lines.push(`  ${indent}${open}`)
  if (Array.isArray(value)) writeEntries(value as readonly Json[], path, depth + 1, body)
  else if (isObject(value)) {
    for (const [member, inner] of Object.entries(value))
      writeValue(`${plain(member)}: `, inner as Json, pathIn(path, member), depth + 1, body)
  }
  lines.push(`  ${'  '.repeat(depth)}${close}`)
}

/** Entries without changes are counted: most of a long conversation. */
function writeEntries(list: readonly Json[], path: string, depth: number, body: BodyLines): void {
  const { changes, around, style, lines } = body
  let same = 0
  const count = (): void => {
    const text = `${'  '.repeat(depth)}… ${same} unchanged ${same === 1 ? 'entry' : 'entries'}`
    if (same > 0) lines.push(`  ${paint(text, DIM, style)}`)
    same = 0
  }
  list.forEach((entry, at) => {
    const own = `${path}[${at}]`
    const isSame = !changes.has(own) && !around.has(own)
    if (isSame) {
      same += 1
      return
    }
    count()
    writeValue('', entry, own, depth, body)
  })
  count()
}

function valueLine(indent: string, value: Json, changes: readonly Change[], style: LineStyle): string {
  const [change] = changes
  if (change === undefined) {
    const shown = cutTo(JSON.stringify(value), style.width - indent.length - 2)
    return `  ${paint(indent + shown, DIM, style)}`
  }
  const [sign, colour] = SIGNS[change.kind]
  const isJoined = changes.length > 1
  const origins = changes.flatMap((one) =>
    one.path === null ? [] : [isJoined ? plain(one.path) : originOf(one, style)],
  )
  const origin = origins.length === 0 ? '' : `  <- ${origins.join(', ')}`
  const shown = cutTo(JSON.stringify(value), style.width - indent.length - origin.length - 2)
  return paint(`${sign} ${indent}${shown}`, colour, style) + paint(origin, DIM, style)
}

function originOf({ kind, path, upstreamPath, before, after }: Change, { width }: LineStyle): string {
  const place = path === upstreamPath ? '' : plain(path ?? '')
  const isInside = typeof before === 'string' && typeof after === 'string' && after.includes(before)
  if (kind !== 'changed' || (isInside && place !== '')) return place
  return `${place}${place === '' ? '' : ': '}${cutTo(JSON.stringify(before), width / 4)}`
}

const removedLine = ({ path, before }: Change, style: LineStyle): string =>
  paint(`- ${plain(path ?? '')}: ${cutTo(JSON.stringify(before), style.width - (path ?? '').length - 4)}`, RED, style)

// ---------------------------------------------------------------- sections

const lossLine = (loss: Loss, style: LineStyle): string =>
  `  ${paint(plain(formatLoss(loss)), loss.action === 'dropped' ? RED : YELLOW, style)}`

const breakpointLine = ({ path, ttl, setBy, clientPath }: ExplainedBreakpoint): string => {
  const source =
    setBy === 'policy'
      ? 'placed by the option cache'
      : `set by the client${clientPath === null ? '' : ` at ${plain(clientPath)}`}`
  return `  ${plain(path)}${ttl === null ? '' : ` (${plain(ttl)})`}: ${source}`
}

function section(title: string, lines: readonly string[], style: LineStyle): readonly string[] {
  const heading = paint(title, BOLD, style)
  return lines.length === 0 ? [`${heading}: none`] : [`${heading} (${lines.length}):`, ...lines]
}

function prefixLines({ sharedPrefix: shared }: Explanation, style: LineStyle): readonly string[] {
  if (shared === null) return []
  const { bytes, total, cached, differsAt } = shared
  const share = total === 0 ? 0 : Math.floor((bytes * 100) / total)
  const text = `${bytes} of ${total} bytes (${share} %), of which the prompt cache finds ${cached}`
  const end = differsAt === null ? 'the prompt continues the earlier one' : `the prompts differ at ${plain(differsAt)}`
  return [`${paint('common prefix', BOLD, style)}: ${text}; ${end}`]
}

const COUNTED = ['moved', 'changed', 'added', 'removed'] as const

function summaryOf({ changes }: Explanation): string {
  const counts = COUNTED.flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length
    return count === 0 ? [] : [`${count} ${kind}`]
  })
  return counts.length === 0 ? 'unchanged' : counts.join(', ')
}

/** The lines of one explanation. `client`: the protocol of the client's body. */
export function explainLines(explanation: Explanation, client: string, style: LineStyle): readonly string[] {
  const { vendor, wire, model, isPassed, edits, path, headers, changes, losses, breakpoints, complaints } = explanation
  const names = edits === null || edits.length === 0 ? 'as it is' : `with the edits: ${edits.join(', ')}`
  const how = isPassed ? `passed through ${names}` : `translated from ${client}`
  return [
    `${paint(plain(`${vendor} ${wire} ${model}`), BOLD, style)}: ${how}`,
    `POST ${plain(path)}`,
    ...Object.entries(headers).map(([name, value]) => plain(`${name}: ${value}`)),
    '',
    `${paint('body', BOLD, style)}: ${summaryOf(explanation)}`,
    ...bodyLines(explanation, style),
    ...changes.filter(({ kind }) => kind === 'removed').map((change) => removedLine(change, style)),
    '',
    ...section(
      'losses',
      losses.map((loss) => lossLine(loss, style)),
      style,
    ),
    ...section('cache breakpoints', breakpoints.map(breakpointLine), style),
    ...prefixLines(explanation, style),
    ...section(
      'problems',
      complaints.map((one) => `  ${paint(plain(`${one.path}: ${one.message}`), RED, style)}`),
      style,
    ),
  ]
}

/** The members of the vendor's pool: each of them receives the same body. */
export function poolLines({ pool }: Pick<VendorAccount, 'pool'>, style: LineStyle): readonly string[] {
  if (pool === null) return []
  const order = pool.affinity ? 'each conversation prefers one of them' : 'in turn'
  const members = pool.members.map(({ name, weight }) => `  ${plain(name)}${weight === 1 ? '' : `, weight ${weight}`}`)
  return section(`pool, ${order}`, members, style)
}

/** The line of a request that the server would refuse. */
export const refusalLine = (vendor: string, message: string, style: LineStyle): string =>
  `${paint(plain(vendor), BOLD, style)}: ${paint(plain(`refused: ${message}`), RED, style)}`
