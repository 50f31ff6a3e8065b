import { type Machine, NOTHING } from '../machine/machine.ts'
import type { Event, EventOf, EventType } from '../protocol/event.ts'
import type { HostedItemType } from '../protocol/item.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { cacheWrites, costOf, toLifetimeFields, type Usage } from '../protocol/usage.ts'
import { isObject, quote } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import type { Dialect } from './dialect.ts'
import { memoizeByDialect } from './memoize.ts'

/** A field of an object in a dialect. */
export interface Field {
  readonly key: string
  /** The key as JSON, and its colon: for the first field of an object, and for any other. */
  readonly label: string
  readonly next: string
  /** The same with null, the value of most fields of a response. */
  readonly nextNull: string
  /** Omitted if its value is null or an empty list. */
  readonly optional: boolean
  /** Whether a dialect may write its value in another form. */
  readonly projected: boolean
}

type Rows = Readonly<Record<string, readonly Field[]>>

function toNamed(key: string, optional = false): Field {
  const label = `${quote(key)}:`
  return { key, label, next: `,${label}`, nextNull: `,${label}null`, optional, projected: PROJECTED.has(key) }
}

const toField = (field: string): Field => toNamed(field.replace(/\?$/, ''), field.endsWith('?'))

const rowsOf = memoizeByDialect(
  ({ views }): Rows => Object.fromEntries(Object.entries(views).map(([name, row]) => [name, row.map(toField)])),
)

/**
 * Calls `show` for each field of a protocol object that a dialect writes. `name` is the view to use; if it has no row,
 * the row of the object's `type` is used, and without that all fields are shown. `isOurs` is false for the fields of an
 * upstream's own kind of item, which only look like protocol fields.
 */
export function eachField(
  dialect: Dialect,
  value: object,
  name: string,
  show: (field: Field, inner: Json, isOurs: boolean) => void,
): void {
  const own = value as JsonObject
  const source = withOwnFields(own)
  for (const field of shownFields(dialect, source, name, source === own)) {
    const inner = source[field.key] ?? null
    if (!field.optional || !isNothingShown(inner)) show(field, inner, source === own || Object.hasOwn(own, field.key))
  }
}

/** `isOwn`: all members are those of a protocol object, whose names are few. */
export function shownFields(dialect: Dialect, source: JsonObject, name: string, isOwn: boolean): readonly Field[] {
  const rows = rowsOf(dialect)
  return (
    lookup(rows, name) ??
    rowOfType(rows, source) ??
    Object.keys(source).map((key) => (isOwn ? fieldNamed(key) : toNamed(key)))
  )
}

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

/** One field of an object in a dialect, as `eachField` passes it. */
export interface ShownField {
  readonly field: Field
  readonly inner: Json
  readonly isOurs: boolean
}

/** Returns all fields of a protocol object that a dialect writes. */
export function fieldsOf(dialect: Dialect, value: object, name: string): readonly ShownField[] {
  const fields: ShownField[] = []
  eachField(dialect, value, name, (field, inner, isOurs) => void fields.push({ field, inner, isOurs }))
  return fields
}

/** Returns a protocol object as a dialect writes it, in the view `name`. */
export function projectObject(dialect: Dialect, value: object, name: string): JsonObject {
  const shown: [string, Json][] = []
  eachField(dialect, value, name, ({ key }, inner, isOurs) => {
    shown.push([key, isOurs ? projectField(dialect, key, inner) : inner])
  })
  // A field may have any name, even `__proto__`.
  return Object.fromEntries(shown)
}

const rowOfType = (rows: Rows, { type }: JsonObject): readonly Field[] | undefined =>
  typeof type === 'string' ? lookup(rows, type) : undefined

export const isNothingShown = (value: Json): boolean => value === null || (Array.isArray(value) && value.length === 0)

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
export function withOwnFields(value: JsonObject): JsonObject {
  if (value.fields === undefined || typeof value.type !== 'string') return value
  const { fields, ...rest } = value
  if (!WITHOUT_STATUS.has(value.type) || !USUAL.has(value.status))
    return { ...rest, ...(fields as JsonObject), ...rest }
  const { status: _, ...named } = rest
  return { ...named, ...(fields as JsonObject), ...named }
}

/** The fields that `projectField` may change. */
const PROJECTED: ReadonlySet<string> = new Set([
  'output',
  'content',
  'annotations',
  'summary',
  'usage',
  'title',
  'tool_choice',
])

/** Returns whether a protocol field holds objects that are written one by one, each by its type. */
export const isListOfObjects = (key: string, value: Json): value is readonly JsonObject[] =>
  (key === 'output' || key === 'content' || key === 'annotations') && Array.isArray(value)

/** Returns the value that a dialect writes for a protocol field. */
export function projectField(dialect: Dialect, key: string, value: Json): Json {
  if (isListOfObjects(key, value)) return value.map((inner) => projectObject(dialect, inner, ''))
  switch (key) {
    case 'summary':
      return Array.isArray(value) ? value.map((part) => viewSummary(dialect, part as JsonObject)) : value
    case 'usage':
      return value === null ? null : projectObject(dialect, toWireUsage(dialect, value as unknown as Usage), 'usage')
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
export const toWireUsage = ({ cacheLifetimes }: Dialect, usage: Usage): JsonObject => ({
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
      ? projectObject(dialect, value as JsonObject, view === undefined ? field : column)
      : value
  }
  return written
}
