import type { JsonRecord } from '../../../../protocol/json.ts'
import { isObject } from '../../../../text/json.ts'
import { LONGEST_WORD } from './finish-reasons.ts'

/** The members of an object of an answer. A member that is not listed is a loss. */
export interface Members {
  /** Members that the decoder reads, or that are carried as a whole: what is inside them is not listed. */
  readonly read?: readonly string[]
  /** Members that are left out on purpose, and the reason. */
  readonly ignored?: Readonly<Record<string, string>>
  /** Members that are objects or lists of objects, whose members are listed in turn. */
  readonly inside?: Readonly<Record<string, Members>>
  /**
   * Further members by the `type` of the object, else by the name of its event. An object of another type is not
   * examined: its type is the loss.
   */
  readonly byType?: Readonly<Record<string, Members>>
  /** The path of the object, if it is not that of its place: several events have the same object. */
  readonly path?: string
}

/** The objects of a stream, and the whole answer. */
export interface AnswerMembers {
  readonly frame: Members
  readonly body: Members
}

/** A table by name, for untrusted names. */
export interface MemberTable {
  /** null: nothing is examined inside. */
  readonly members: ReadonlyMap<string, MemberTable | null>
  readonly byType: ReadonlyMap<string, MemberTable> | null
  readonly path: string | null
}

export function toMemberTable({ read = [], ignored = {}, inside = {}, byType, path }: Members): MemberTable {
  const own = [...read, ...Object.keys(ignored)].map((name) => [name, null] as const)
  const nested = Object.entries(inside).map(([name, members]) => [name, toMemberTable(members)] as const)
  const members = new Map<string, MemberTable | null>([...own, ...nested])
  const types = Object.entries(byType ?? {}).map(([type, further]) => {
    const table = toMemberTable(further)
    return [type, { ...table, members: new Map([...members, ...table.members]) }] as const
  })
  return { members, byType: byType === undefined ? null : new Map(types), path: path ?? null }
}

/** The depth to which a member is searched for a value. */
const DEEPEST = 4

/** A member without a value, with a count of 0 or with `false` reports nothing. */
function isEmpty(value: unknown, deepest = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return !value
  if (deepest === 0) return false
  for (const name in value) if (!isEmpty((value as JsonRecord)[name], deepest - 1)) return false
  return true
}

/** Returns the paths of the members of an object, or of a list of objects, that a table does not have. */
export function unreadMembers(table: MemberTable, value: unknown, event = ''): readonly string[] {
  const found = new Set<string>()
  collect(table, value, event, table.path ?? '', found)
  return found.size === 0 ? NO_PATHS : [...found]
}

const NO_PATHS: readonly string[] = []

function collect(table: MemberTable, value: unknown, event: string, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) collectIn(table, entry, event, path, found)
  else collectIn(table, value, event, path, found)
}

function collectIn(general: MemberTable, value: unknown, event: string, path: string, found: Set<string>): void {
  if (!isObject(value)) return
  const { byType } = general
  const type = typeof value.type === 'string' && value.type !== '' ? value.type : event
  const table = byType === null ? general : byType.get(type)
  if (table === undefined) return
  for (const name in value) {
    const inside = table.members.get(name)
    if (inside === null) continue
    const member = value[name]
    if (inside === undefined) {
      if (!isEmpty(member)) found.add(`${path}${name.slice(0, LONGEST_WORD)}`)
    } else if (typeof member === 'object' && member !== null)
      collect(inside, member, '', inside.path ?? `${path}${name}${Array.isArray(member) ? '[]' : ''}.`, found)
  }
}
