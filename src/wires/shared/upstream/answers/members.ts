import type { JsonRecord } from '../../../../protocol/json.ts'
import { isObject } from '../../../../text/json.ts'
import { shortWord } from './finish-reasons.ts'

/** Members of answers that are left out on purpose, by the reason: a bundle contains no sentence for each of them. */
interface IgnoredMembers {
  /** An id of the upstream, in place of which the gateway issues its own. */
  readonly id?: readonly string[]
  /** A time, or a measure of time. */
  readonly time?: readonly string[]
  /** The kind of the object. */
  readonly kind?: readonly string[]
  /** It is always the same, such as the role of an answer. */
  readonly role?: readonly string[]
  /** A position, which the gateway counts itself, or the number of an event. */
  readonly position?: readonly string[]
  /** Padding against the analysis of lengths. */
  readonly padding?: readonly string[]
  /** It repeats the request. */
  readonly echo?: readonly string[]
  /** A part of the totals, which are carried, or derived from what is carried. */
  readonly total?: readonly string[]
  /** The loss of the object around it, or of the reason beside it, names it. */
  readonly named?: readonly string[]
  /** Accounts of the router or the vendor beside the price, and the party that pays. */
  readonly accounts?: readonly string[]
  /** The classes of a content filter, whose verdict is the finish reason or the code. */
  readonly filter?: readonly string[]
  /** A detail of the sampling that no request can use. */
  readonly sampling?: readonly string[]
  /** The place of the quotation in its source, which another loss names. */
  readonly place?: readonly string[]
  /** A detail of a source whose address is carried. */
  readonly source?: readonly string[]
  /** The number of a token whose text is carried. */
  readonly token?: readonly string[]
  /** Another part of the answer, which is carried, shows it. */
  readonly shown?: readonly string[]
  /** It is no part of the answer: tokens of a smaller model, guesses before a search, additions of the vendor's package. */
  readonly outside?: readonly string[]
  /** Only the vendor can use it. */
  readonly own?: readonly string[]
  /** The gateway requests no answer that has it. */
  readonly unrequested?: readonly string[]
  /** The host behind the upstream, and the name of the model there. */
  readonly host?: readonly string[]
  /** A member of the request that the upstream received, which is not that of the client. */
  readonly request?: readonly string[]
}

/** The members of an object of an answer. A member that is not listed is a loss. */
export interface Members {
  /** Members that the decoder reads, or that are carried as a whole: what is inside them is not listed. */
  readonly read?: readonly string[]
  /** Members that are left out on purpose, by the reason. */
  readonly ignored?: IgnoredMembers
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
  const own = [...read, ...Object.values(ignored).flat()].map((name) => [name, null] as const)
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
export function lostMembers(table: MemberTable, value: unknown, event = ''): readonly string[] {
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
      if (!isEmpty(member)) found.add(`${path}${shortWord(name)}`)
    } else if (typeof member === 'object' && member !== null)
      collect(inside, member, '', inside.path ?? `${path}${name}${Array.isArray(member) ? '[]' : ''}.`, found)
  }
}
