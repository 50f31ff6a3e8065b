import { type Machine, NOTHING } from '../machine/machine.ts'
import type { Event, EventOf, EventType } from '../protocol/event.ts'
import type { HostedItemType } from '../protocol/item.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { cacheWrites, costOf, toLifetimeFields, type Usage } from '../protocol/usage.ts'
import { isObject, quote } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import type { Dialect } from './dialect.ts'
import { memoizeByDialect } from './memoize.ts'

/** A field of an object in a dialect. */
export interface Field {
  readonly key: string
  /** The key as JSON, and its colon: for the first field of an object, and for any other. */
  readonly label: string
  readonly next: string
  /** Omitted if its value is null or an empty list. */
  readonly optional: boolean
  /** Whether a dialect may write its value in another form. */
  readonly projected: boolean
  /** Whether its value is a list that is written entry by entry: of objects by their types, or of plain values. */
  readonly list: 'objects' | 'values' | null
}

type Rows = Readonly<Record<string, readonly Field[]>>

function toNamed(key: string, optional = false): Field {
  const label = `${quote(key)}:`
  return { key, label, next: `,${label}`, optional, projected: PROJECTED.has(key), list: LISTS.get(key) ?? null }
}

const toField = (field: string): Field => toNamed(field.replace(/\?$/, ''), field.endsWith('?'))

const rowsOf = memoizeByDialect(
  ({ views }): Rows => Object.fromEntries(Object.entries(views).map(([name, row]) => [name, row.map(toField)])),
)

/** The fields of protocol objects that have no row. Their names are few. */
const NAMED = new Map<string, Field>()
const MOST_NAMED = 512

function fieldNamed(key: string): Field {
  const known = NAMED.get(key)
  if (known !== undefined) return known
  const field = toNamed(key)
  if (NAMED.size < MOST_NAMED) NAMED.set(key, field)
  return field
}

const rowOfType = (rows: Rows, { type }: JsonObject): readonly Field[] | undefined =>
  typeof type === 'string' ? lookup(rows, type) : undefined

const isNothing = (value: Json): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** Items to which OpenAI gives no status (openai 7.57, `ResponseOutputItem`). */
const WITHOUT_STATUS: ReadonlySet<string> = new Set([
  'compaction',
  'mcp_approval_request',
  'mcp_list_tools',
  'program',
] satisfies readonly HostedItemType[])

/** The statuses that the event of an item shows as well. */
const USUAL: ReadonlySet<Json | undefined> = new Set(['in_progress', 'completed'])

/** Items of the upstream's own kinds have their fields in `fields`; on the wire these are beside `id` and `status`. */
function flatten(value: JsonObject): JsonObject {
  if (value.fields === undefined || typeof value.type !== 'string') return value
  const { fields, ...rest } = value
  if (!WITHOUT_STATUS.has(value.type) || !USUAL.has(value.status))
    return { ...rest, ...(fields as JsonObject), ...rest }
  const { status: _, ...named } = rest
  return { ...named, ...(fields as JsonObject), ...named }
}

/** The fields that `projectField` may change. */
const PROJECTED: ReadonlySet<string> = new Set(['summary', 'title', 'tool_choice'])

const LISTS: ReadonlyMap<string, NonNullable<Field['list']>> = new Map([
  ['output', 'objects'],
  ['content', 'objects'],
  ['annotations', 'objects'],
  ['logprobs', 'values'],
])

/** Returns the value that a dialect writes for a protocol field. */
function projectField(dialect: Dialect, key: string, value: Json): Json {
  switch (key) {
    case 'summary':
      return Array.isArray(value) ? value.map((part) => viewSummary(dialect, part as JsonObject)) : value
    case 'title':
      return value ?? ''
    case 'tool_choice':
      return dialect.toolChoices === 'closed' ? toClosedChoice(value) : value
    default:
      return value
  }
}

const CLOSED_CHOICES: ReadonlySet<Json | undefined> = new Set(['function', 'allowed_tools'])

/** A forced server tool becomes `required`, the nearest choice that such clients parse. */
const toClosedChoice = (choice: Json): Json =>
  isObject(choice) && !CLOSED_CHOICES.has(choice.type as Json) ? 'required' : choice

const viewSummary = (dialect: Dialect, part: JsonObject): Json =>
  dialect.summary === 'strings' ? (part.text ?? '') : part

function lifetimeDetails(usage: Usage, names: NonNullable<Dialect['cacheLifetimes']>): JsonObject {
  const details = toLifetimeFields(usage, names)
  return details === null ? {} : { cache_write_tokens_details: details }
}

/**
 * Returns usage in the form of the wire. A count that the upstream does not report is 0, because clients require
 * numbers.
 */
const toWireUsage = ({ cacheLifetimes }: Dialect, usage: Usage): JsonObject => ({
  input_tokens: usage.input_tokens ?? 0,
  input_tokens_details: {
    cached_tokens: usage.cached_tokens ?? 0,
    ...(cacheLifetimes === undefined
      ? cacheWrites(usage.cache_write_tokens)
      : { cache_write_tokens: usage.cache_write_tokens ?? 0 }),
    ...lifetimeDetails(usage, cacheLifetimes ?? {}),
  },
  output_tokens: usage.output_tokens ?? 0,
  output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
  total_tokens: usage.total_tokens ?? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0),
  ...costOf(usage.cost),
})

// ---------------------------------------------------------------- the walker

/** Receives an object as a dialect shows it, part by part: `JsonWriter` as text, `ObjectBuilder` as an object. */
export interface ViewSink {
  beginObject(): void
  field(field: Field): void
  writeValue(value: Json): void
  /** Writes a value that a later object has, too. */
  writeCached(value: Json): void
  endObject(): void
  beginList(): void
  entry(): void
  endList(): void
}

/** An object or a list of which a part is written. */
type Open = OpenObject | OpenList

interface OpenObject {
  readonly outer: Open | null
  readonly own: JsonObject
  readonly source: JsonObject
  readonly row: readonly Field[]
  readonly values: null
  /** Its fields echo the request at the beginning of a response, and again at its end. */
  readonly repeats: boolean
  at: number
}

interface OpenList {
  readonly outer: Open | null
  readonly values: readonly Json[]
  readonly areObjects: boolean
  at: number
}

/** A view without a row has the row of the object's `type`, and without that all fields. */
function beginObject(dialect: Dialect, sink: ViewSink, value: object, name: string, outer: Open | null): OpenObject {
  const own = value as JsonObject
  const source = flatten(own)
  const rows = rowsOf(dialect)
  const row =
    lookup(rows, name) ??
    rowOfType(rows, source) ??
    Object.keys(source).map((key) => (source === own ? fieldNamed(key) : toNamed(key)))
  sink.beginObject()
  return { outer, own, source, row, values: null, repeats: name === 'response', at: 0 }
}

function beginList(sink: ViewSink, values: readonly Json[], areObjects: boolean, outer: Open | null): OpenList {
  sink.beginList()
  return { outer, values, areObjects, at: 0 }
}

/** Entries of a list between two pauses. */
const ENTRIES = 64

/** Writes a protocol object in the view `name`. */
export const writeView = (dialect: Dialect, sink: ViewSink, value: object, name: string): Steps<void> =>
  writeOpen(dialect, sink, beginObject(dialect, sink, value, name, null))

/** Writes a list of plain values. */
export const writeList = (dialect: Dialect, sink: ViewSink, values: readonly Json[]): Steps<void> =>
  writeOpen(dialect, sink, beginList(sink, values, false, null))

/** A loop, because a generator for each object would cost more than the object. */
function* writeOpen(dialect: Dialect, sink: ViewSink, outermost: Open): Steps<void> {
  let open: Open | null = outermost
  while (open !== null) {
    if (open.values === null) open = writeField(dialect, sink, open)
    else {
      if (open.at > 0 && open.at % ENTRIES === 0) yield
      open = writeEntry(dialect, sink, open)
    }
  }
}

function writeEntry(dialect: Dialect, sink: ViewSink, open: OpenList): Open | null {
  const { values, areObjects, outer } = open
  if (open.at === values.length) {
    sink.endList()
    return outer
  }
  const value = values[open.at] as Json
  open.at += 1
  sink.entry()
  if (areObjects) return beginObject(dialect, sink, value as JsonObject, '', open)
  sink.writeValue(value)
  return open
}

/**
 * Writes fields up to the next one with objects inside. The fields of an upstream's own kind of item only look like
 * protocol fields, and stay as they are.
 */
function writeField(dialect: Dialect, sink: ViewSink, open: OpenObject): Open | null {
  const { own, source, row } = open
  while (open.at < row.length) {
    const field = row[open.at] as Field
    open.at += 1
    const { key, list } = field
    const inner = source[key] ?? null
    if (field.optional && isNothing(inner)) continue
    sink.field(field)
    if (source !== own && !Object.hasOwn(own, key)) sink.writeValue(inner)
    else if (list !== null && Array.isArray(inner)) return beginList(sink, inner, list === 'objects', open)
    else if (key === 'usage' && inner !== null)
      return beginObject(dialect, sink, toWireUsage(dialect, inner as unknown as Usage), 'usage', open)
    else {
      const shown = field.projected ? projectField(dialect, key, inner) : inner
      if (open.repeats && shown === inner) sink.writeCached(shown)
      else sink.writeValue(shown)
    }
  }
  sink.endObject()
  return open.outer
}

/** Returns a protocol object as a dialect shows it, in the view `name`. */
export function* projectObject(dialect: Dialect, value: object, name: string): Steps<JsonObject> {
  const builder = new ObjectBuilder()
  yield* writeView(dialect, builder, value, name)
  return builder.made as JsonObject
}

/** An open object or list. */
interface Level {
  readonly key: string
  readonly entries: [string, Json][]
}

class ObjectBuilder implements ViewSink {
  made: Json = null
  private key = ''
  private readonly levels: Level[] = []

  beginObject(): void {
    this.levels.push({ key: this.key, entries: [] })
  }

  field({ key }: Field): void {
    this.key = key
  }

  writeValue(value: Json): void {
    const level = this.levels.at(-1)
    if (level === undefined) this.made = value
    else level.entries.push([this.key, value])
  }

  writeCached(value: Json): void {
    this.writeValue(value)
  }

  endObject(): void {
    // A field may have any name, even `__proto__`.
    this.close(Object.fromEntries)
  }

  beginList(): void {
    this.beginObject()
  }

  entry(): void {
    this.key = ''
  }

  endList(): void {
    this.close((entries) => entries.map(([, value]) => value))
  }

  private close(toValue: (entries: Level['entries']) => Json): void {
    const { key, entries } = this.levels.pop() as Level
    this.key = key
    this.writeValue(toValue(entries))
  }
}

// ---------------------------------------------------------------- events

/**
 * Events → the objects that `writeFrames` writes as the data of its frames. The state is the next sequence number.
 * Costs the size of each event.
 */
export function writeObjects(dialect: Dialect): Machine<number, Event, JsonObject> {
  const rows: Readonly<Record<EventType, readonly (readonly string[])[]>> = dialect.events
  return {
    initial: 0,
    step(state, event) {
      const lines = rows[event.type]
      if (lines.length === 0) return { state, events: NOTHING }
      const events = lines.map((line, i) =>
        event.type === 'item.progress' ? progressObject(event, state) : toObject(dialect, line, event, state + i),
      )
      return { state: state + lines.length, events }
    },
    end: () => NOTHING,
  }
}

const progressObject = ({ name, item_id, output_index, fields }: EventOf<'item.progress'>, at: number): JsonObject => ({
  type: `response.${name}`,
  sequence_number: at,
  item_id,
  output_index,
  ...fields,
})

function toObject(dialect: Dialect, [type = '', ...columns]: readonly string[], event: Event, at: number): JsonObject {
  const source = event as unknown as JsonObject
  const written: Record<string, Json> = dialect.numbered ? { type, sequence_number: at } : { type }
  for (const column of columns) {
    const [field = '', view] = column.split(':')
    const value = source[field] ?? null
    written[field] = isObject(value)
      ? runSteps(projectObject(dialect, value as JsonObject, view === undefined ? field : column))
      : value
  }
  return written
}
